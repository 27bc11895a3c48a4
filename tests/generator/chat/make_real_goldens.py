#!/usr/bin/env python3
"""Makes real/: what the chat templates of real models render over conversations.json. The templates are not here, as each has its
model's licence: scripts/fetch-tokenizers and scripts/fetch-model fetch them.

    scripts/fetch-tokenizers && scripts/fetch-model smollm2 && scripts/fetch-model gemma3
    python3 make_real_goldens.py [DIRECTORY]        (default: build; also needs gguf and transformers)

real.json has of each model the SHA-256 of its template and of each rendering (UTF-8), null where that is an error; a model without
a template is null. smollm2_ids.json has the tokens that transformers gives SmolLM2 for conversations without digits: the library
reads a GGUF file with GPT-2's pre-tokenizer, which takes digits together where SmolLM2's own takes them one by one. Prints which
parts of Jinja the templates use.
"""

import hashlib
import json
import pathlib
import sys

import jinja2
from chat_environment import environment, outcome
from gguf import GGUFReader
from make_goldens import CONVERSATIONS
from transformers import AutoTokenizer

HERE = pathlib.Path(__file__).parent
KNOWN = HERE.parents[1] / "runtime" / "tokenizer" / "real" / "known.json"
GGUF = {"smollm2": "SmolLM2-135M-Instruct.Q4_1.gguf", "gemma3-gguf": "gemma-3-270m-q4_k_m.gguf"}


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def templates(build):
    """Of each model its template or None; of one with several, those but the default as MODEL:NAME."""
    for name in json.loads(KNOWN.read_text()):
        path = build / "tokenizers" / name / "tokenizer_config.json"
        if not path.parent.exists():
            sys.exit(f"make_real_goldens: {path.parent} is not there; scripts/fetch-tokenizers {name}")
        template = json.loads(path.read_text()).get("chat_template") if path.exists() else None
        if isinstance(template, list):
            for entry in template:
                yield name if entry["name"] == "default" else f"{name}:{entry['name']}", entry["template"]
        else:
            yield name, template
    for name, file in GGUF.items():
        field = GGUFReader(build / "models" / file).get_field("tokenizer.chat_template")
        yield name, field.contents() if field else None


def rendered(template):
    texts = [outcome(template, conversation) for conversation in CONVERSATIONS]
    return [sha256(text) if isinstance(text, str) else None for text in texts]


def smollm2_ids(build, template):
    tokenizer = AutoTokenizer.from_pretrained(str(build / "models"), gguf_file=GGUF["smollm2"])
    for conversation in CONVERSATIONS:
        text = outcome(template, conversation)
        # The library refuses to template no messages at all.
        if conversation["messages"] and isinstance(text, str) and not any(c.isnumeric() for c in text):
            assert tokenizer.chat_template == template
            ids = tokenizer.apply_chat_template(conversation["messages"], return_dict=False,
                                                add_generation_prompt=conversation["add_generation_prompt"])
            assert tokenizer.encode(text, add_special_tokens=False) == ids
            yield {"conversation": conversation["number"], "text_sha256": sha256(text), "ids": ids}


def used(sources):
    """Node types, and the names of filters, tests, attributes and variables."""
    names = {kind: set() for kind in ("nodes", "filters", "tests", "called methods", "attributes", "called names", "names")}
    for node in (node for source in sources for node in walk(environment().parse(source))):
        names["nodes"].add(type(node).__name__)
        if isinstance(node, (jinja2.nodes.Filter, jinja2.nodes.Test)):
            names["filters" if isinstance(node, jinja2.nodes.Filter) else "tests"].add(node.name)
        elif isinstance(node, jinja2.nodes.Call):
            kind = "called methods" if isinstance(node.node, jinja2.nodes.Getattr) else "called names"
            names[kind].add(getattr(node.node, "attr", getattr(node.node, "name", "?")))
        elif isinstance(node, jinja2.nodes.Getattr):
            names["attributes"].add(node.attr)
        elif isinstance(node, jinja2.nodes.Name):
            names["names"].add(node.name)
    return names


def walk(node):
    yield node
    for child in node.iter_child_nodes():
        yield from walk(child)


def lines(entries):
    return ",\n".join(entries) + "\n"


def main():
    build = pathlib.Path(sys.argv[1]) if sys.argv[1:] else HERE.parents[2] / "build"
    found = dict(templates(build))
    real = {name: template and {"template_sha256": sha256(template), "rendered": rendered(template)} for name, template in found.items()}
    directory = HERE / "real"
    directory.mkdir(exist_ok=True)
    (directory / "real.json").write_text("{\n" + lines(f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in real.items()) + "}\n")
    (directory / "smollm2_ids.json").write_text("[\n" + lines(map(json.dumps, smollm2_ids(build, found["smollm2"]))) + "]\n")
    for name, entry in real.items():
        print(f"{name}: {sum(map(bool, entry['rendered']))} of {len(CONVERSATIONS)} rendered" if entry else f"{name}: no template")
    for kind, names in used([template for template in found.values() if template]).items():
        print(f"{kind}: {' '.join(sorted(names))}")


if __name__ == "__main__":
    main()
