#!/usr/bin/env python3
"""Compiles the chat templates of real models and compares what they render with real/ (make_real_goldens.py).

    scripts/fetch-tokenizers && scripts/fetch-model smollm2
    cmake --build build --target emit_chat_cases monomorph
    python3 check_real.py [--build FOLDER]

Templates are read from FOLDER/tokenizers/NAME/tokenizer_config.json and FOLDER/models, as the scripts leave them; what is
not there is named and left out. Of each the rendering over all of conversations.json has to be Jinja2's, byte for byte; of
SmolLM2 the tokens of its prompts have to be those of transformers. Python 3.11 with jinja2 alone, and g++. Exit status: 1
where something differs.
"""

import argparse
import hashlib
import json
import pathlib
import subprocess
import sys

from check_mutants import HERE, LIBRARIES, Tools

CONVERSATIONS = json.loads((HERE / "conversations.json").read_text(encoding="utf-8"))
GGUF = {"smollm2": "SmolLM2-135M-Instruct.Q4_1"}


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def template_of(name, build, monomorph):
    """The template's text; None where the model is not there."""
    if name in GGUF:
        model = build / "models" / f"{GGUF[name]}.gguf"
        if not model.exists():
            return None
        import tomllib

        spec = subprocess.run([monomorph, "import", model], capture_output=True, text=True, check=True).stdout
        return tomllib.loads(spec)["chat"]["template"]
    config = build / "tokenizers" / name / "tokenizer_config.json"
    if not config.exists():
        return None
    template = json.loads(config.read_text(encoding="utf-8"))["chat_template"]
    return template if isinstance(template, str) else {one["name"]: one["template"] for one in template}["default"]


def renderings(template, folder, tools):
    """What the compiled template gives for each conversation: a text, or None for an error."""
    folder.mkdir(parents=True, exist_ok=True)
    source, program = folder / "template.cpp", folder / "template"
    (folder / "template.jinja").write_bytes(template.encode())
    subprocess.run([tools.emitter, source, folder / "template.jinja"], check=True)
    subprocess.run([*tools.compiler, "-O0", source, *tools.objects, "-o", program, *LIBRARIES], check=True)
    places = [str(place) for place in range(len(CONVERSATIONS))]
    ran = subprocess.run([program, HERE / "conversations.json", "0", *places], capture_output=True, text=True, check=True)
    outcomes = json.loads(ran.stdout)
    if isinstance(outcomes, dict):
        return [outcomes["refused"]] * len(CONVERSATIONS)
    return [outcome.get("text") for outcome in outcomes]


def check_tokens(texts, build, monomorph):
    """How many prompts of SmolLM2 have other tokens than transformers'. A text with a byte that the vocabulary lacks is an
    error here, where the library leaves the byte out."""
    expected = json.loads((HERE / "real" / "smollm2_ids.json").read_text())
    model = build / "models" / f"{GGUF['smollm2']}.gguf"
    equal, refused = 0, []
    for entry in expected:
        text = texts[entry["conversation"]]
        ran = subprocess.run([monomorph, "tokenize", model], input=json.dumps(text) + "\n", capture_output=True, text=True)
        if ran.returncode != 0:
            refused.append(ran.stderr.strip())
        else:
            equal += json.loads(ran.stdout) == entry["ids"]
    print(f"smollm2: the tokens of {equal} of {len(expected)} prompts are transformers'", *refused, sep="\n  ")
    return len(expected) - equal - len(refused)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parents[2] / "build")
    build = parser.parse_args().build.resolve()
    folder, monomorph = build / "real_templates", build / "bin" / "monomorph"
    tools = Tools(build, folder, False)
    wrong = 0
    for name, expected in json.loads((HERE / "real" / "real.json").read_text()).items():
        if expected is None:
            continue
        template = template_of(name, build, monomorph)
        if template is None:
            print(f"{name}: is not there")
            continue
        if sha256(template) != expected["template_sha256"]:
            sys.exit(f"{name}: this is not the template that is known")
        texts = renderings(template, folder / name, tools)
        ours = [None if text is None else sha256(text) for text in texts]
        different = [place for place, pair in enumerate(zip(ours, expected["rendered"], strict=True)) if pair[0] != pair[1]]
        print(f"{name}: {len(ours) - len(different)} of {len(ours)} conversations are Jinja2's"
              + (f"; not {different}" if different else ""))
        wrong += len(different)
        if name == "smollm2":
            wrong += check_tokens(texts, build, monomorph)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
