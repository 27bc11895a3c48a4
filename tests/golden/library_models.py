"""Families whose goldens are data alone: their tensors are those of the library's class, or of that in published_code.py where
the library has none, and each key of their config.json is changed to other values of its form. What a change does is
measured and recorded, not foretold."""

import re
import tempfile
from copy import deepcopy
from pathlib import Path

import numpy as np
import torch
import transformers
from safetensors.numpy import load_file
from transformers.models.auto.configuration_auto import CONFIG_MAPPING
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING, MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING
from transformers.models.bloom import modeling_bloom
from transformers.models.falcon import modeling_falcon

import published_code  # noqa: F401, has the library find its classes
import sources
from weights import QUERY_KEY_GAIN, Weights

FAMILIES = ("afmoe", "albert", "aria_text", "axk1", "bamba", "bart", "bert", "bert-generation", "biogpt", "blenderbot",
            "camembert", "codegen",
            "cohere2_moe", "cohere_compass_text", "ctrl", "dbrx", "deepseek_v2", "deepseek_v3", "diffllama",
            "distilbert", "dots1", "electra", "ernie4_5_moe", "exaone_moe", "falcon_h1", "falcon_mamba", "flex_olmo", "flint", "glm4_moe",
            "glm4_moe_lite", "gpt_neox_japanese", "gpt_oss", "gptj", "granite_swa", "granitemoe", "granitemoe_swa", "granitemoehybrid",
            "granitemoeshared", "hunyuan_v1_moe", "hy_v3", "jamba", "kimi_linear", "kolibri1", "lfm2", "lfm2_moe", "llada", "llama4_text", "mamba", "mamba2", "marian", "mbart", "mellum", "minicpm3",
            "minimax", "minimax_m2", "ministral3", "mixtral", "modernbert", "modernbert-decoder", "mpnet", "mpt", "mt5",
            "nemotron_h", "nomic_bert",
            "olmo_hybrid", "olmoe", "openai-gpt", "openelm", "opt", "pegasus", "phi", "phimoe", "qwen2_moe", "qwen3_moe", "qwen3_5_moe_text", "qwen3_5_text", "qwen3_next", "recurrent_gemma", "roberta", "rwkv",
            "solar_open", "t5", "t5gemma", "umt5", "xglm", "xlm-roberta", "youtu", "zamba2")  # fmt: skip
RENAMED = ("nomic_bert",)  # its files have other names than the library's class
ROUTER_GAIN = 3.0  # scores far enough apart that f32 and double choose the same experts
ROUTERS = ("feed_forward.router", "mlp.gate.wg", "mlp.router", "mlp.router.gate", "router.layer")
COMPUTED = ("slope_rate", "query_decay", "key_decay", "diagonal_decay")  # buffers, which a file may have rounded
SELECTION_BIASES = ("e_score_correction_bias", "expert_bias")
TRANSPOSED = ("AriaExperts", "GptOssExperts", "Llama4TextExperts")
QUERIES_AND_KEYS = ("q_proj", "k_proj", "Wq", "Wk", "self.query", "self.key", "q_b_proj", "q_lin", "k_lin", "attn.q",
                    "attn.k", "attention.query", "attention.key")  # fmt: skip


# Falcon's own forms ALiBi in bfloat16, whatever the model runs in. Bloom's is the same but for that.
modeling_falcon.build_alibi_tensor = modeling_bloom.build_alibi_tensor


def attention_of(config: dict) -> str:
    """Which of its implementations the library computes with: eager attention, but of Falcon with ALiBi, where that adds
    the slopes twice and the library's default once."""
    return "sdpa" if config.get("alibi") else "eager"


# Classes without a head, by their model_type.
WITHOUT_HEAD = {"albert": "AlbertModel", "bert": "BertModel", "camembert": "CamembertModel",
                "distilbert": "DistilBertModel", "electra": "ElectraModel", "modernbert": "ModernBertModel",
                "mpnet": "MPNetModel", "nomic_bert": "NomicBertModel", "roberta": "RobertaModel",
                "xlm-roberta": "XLMRobertaModel"}  # fmt: skip
# Decoders that stand without their head, whose class config.json names.
BARE_DECODERS = ("Gemma3TextModel", "Qwen3Model")
HEADS = ("ForCausalLM", "ForMaskedLM", "ForSequenceClassification", "LMHeadModel")


def task_of(config: dict) -> str:
    """Which of HEADS the class has; "" where it has none."""
    return next((head for head in HEADS if config["architectures"][0].endswith(head)), "")


def is_bare_decoder(config: dict) -> bool:
    return config["architectures"][0] in BARE_DECODERS


def is_bare(config: dict) -> bool:
    """Whether its automatic class is not that of causal models."""
    return config["model_type"] in WITHOUT_HEAD or is_bare_decoder(config)


def gives_vectors(config: dict) -> bool:
    """Whether the class gives texts' vectors or scores, and no logits."""
    return is_bare(config) and task_of(config) in ("", "ForSequenceClassification")


def counts_positions_past_padding(config: dict) -> bool:
    """RoBERTa's line gives a token of padding no position, wherever it stands in a text."""
    return config.get("model_type") in ("camembert", "mpnet", "roberta", "xlm-roberta")


def class_of(config: dict):
    """The library's class of a model of its own."""
    if is_bare_decoder(config):
        return getattr(transformers, config["architectures"][0])
    if config["model_type"] in WITHOUT_HEAD:
        bare = WITHOUT_HEAD[config["model_type"]]
        return getattr(transformers, bare.removesuffix("Model") + task_of(config) if task_of(config) else bare)
    mapping = MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING if sources.answers(config) else MODEL_FOR_CAUSAL_LM_MAPPING
    return mapping[CONFIG_MAPPING[config["model_type"]]]


def library_weights(config: dict, seed: int, own_head: bool = False, **_) -> dict[str, np.ndarray]:
    """Drawn as other families' are, module by module, under the names of the class's parameters."""
    settings = deepcopy(config)  # the library adds keys to tables
    for key in ("architectures", "model_type", "transformers_version"):
        settings.pop(key, None)
    config_class = CONFIG_MAPPING[config["model_type"]]
    model = class_of(config)(config_class(**settings))
    weights = Weights(seed)
    tied = model._tied_weights_keys or {} if model.config.tie_word_embeddings else {}
    shares = sources.answers(config) and config["model_type"] != "t5gemma" and model.config.tie_word_embeddings
    shared = {f"{prefix}{stack}.embed_tokens" for stack in ("encoder", "decoder") for prefix in ("", "model.")} if shares else ()
    drawn = set()
    for name, module in model.named_modules():
        own = dict(module.named_parameters(recurse=False)) | selection_bias(module)
        # What layers share has the first one's name; embeddings and heads say by the config whether they are one.
        if own and drawn.issuperset(map(id, own.values())) and module is not model.get_output_embeddings():
            continue
        drawn.update(map(id, own.values()))
        if name in shared:  # the table of all tokens
            continue
        if isinstance(module, torch.nn.Embedding):
            rows, columns = module.weight.shape
            of_tokens = module is model.get_input_embeddings() or name.endswith("embed_tokens")
            draw = weights.embedding if of_tokens else weights.table
            draw(f"{name}.weight", rows, columns)
        elif isinstance(module, torch.nn.LayerNorm) or type(module).__name__.endswith(("RMSNorm", "LayerNorm", "RMSNormGated")):
            if "weight" in own:  # which starts at one, or at zero where one is added to it
                weights.norm(name, module.weight.shape[0], bias="bias" in own, around=float(module.weight.detach().mean()))
        elif isinstance(module, torch.nn.Linear):
            if module is model.get_output_embeddings() and model.config.tie_word_embeddings and not own_head:
                if module.bias is not None and f"{name}.bias" not in tied:
                    weights.bias(name, module.bias.shape[0])
                continue
            gain = QUERY_KEY_GAIN / config["d_kv"] ** 0.5 if name.endswith("Attention.q") else QUERY_KEY_GAIN if name.endswith(QUERIES_AND_KEYS) else ROUTER_GAIN if name.endswith(ROUTERS) else 1.0
            if config["model_type"] == "zamba2":
                gain = gain_of_shared_layers(name)
            weights.projection(name, *module.weight.shape, "bias" in own, gain=gain)
        elif isinstance(module, torch.nn.Conv1d):
            weights.convolution(name, *module.weight.shape, "bias" in own)
        elif type(module).__name__ == "Conv1D":  # stored (in, out)
            weights.projection(name, *module.weight.shape[::-1], True)
            weights.tensors[f"{name}.weight"] = weights.tensors[f"{name}.weight"].T.copy()
        else:
            for word, parameter in own.items():
                if word.startswith("time_"):
                    draw_times(weights, f"{name}.{word}", parameter)
                    continue
                if parameter.dim() == 3:  # of each expert
                    draw_experts(weights, f"{name}.{word}", *parameter.shape, type(module).__name__ in TRANSPOSED)
                    continue
                if type(module).__name__ == "DbrxExpertGLU":  # [experts * intermediate, hidden], the last transposed
                    shape = (module.moe_num_experts, module.ffn_hidden_size, module.hidden_size)
                    draw_experts(weights, f"{name}.{word}", *shape, word == "w2")
                    weights.tensors[f"{name}.{word}"] = weights.tensors[f"{name}.{word}"].reshape(parameter.shape)
                    continue
                if parameter.dim() == 2 and word.endswith("_bias"):  # of each expert
                    weights.vector(f"{name}.{word}", parameter.numel(), gain=0.3)
                    weights.tensors[f"{name}.{word}"] = weights.tensors[f"{name}.{word}"].reshape(parameter.shape)
                    continue
                if word in SELECTION_BIASES:
                    weights.vector(f"{name}.{word}", parameter.numel())
                    weights.tensors[f"{name}.{word}"].shape = parameter.shape
                    continue
                if parameter.dim() == 2 and type(module).__name__.endswith("Router"):
                    weights.matrix(f"{name}.{word}", *parameter.shape, gain=ROUTER_GAIN)
                    continue
                if word == "A_log":  # some decay fast, some over the whole prompt
                    if parameter.numel() == max(parameter.shape):  # of each head: what those read that forget at once may be almost nothing
                        weights.vector(f"{name}.{word}", parameter.numel(), gain=0.5)
                        weights.tensors[f"{name}.{word}"].shape = parameter.shape
                    else:
                        weights.matrix(f"{name}.{word}", *parameter.shape, gain=2 * parameter.shape[1] ** 0.5)
                    weights.tensors[f"{name}.{word}"] -= 2
                    continue
                if parameter.dim() != 1:
                    raise NotImplementedError(f"nobody draws {name}.{word} of a {type(module).__name__}")
                # Among the scores of many keys a small one would not show, nor in what heads forget slowly.
                gain = 3.0 if word == "sinks" else 1.0 if word == "dt_bias" else 0.3
                weights.vector(f"{name}.{word}", parameter.shape[0], gain=gain)
    for name, buffer in model.named_buffers():
        if name == "final_logits_bias":
            weights.vector(name, buffer.numel())
            weights.tensors[name].shape = buffer.shape
    return as_saved(model, weights.tensors)


def gain_of_shared_layers(name: str) -> float:
    """Attention whose scores are scaled twice, an MLP and Mamba-2 in a row make an error ten times as large: scores are kept
    small, and the stream passes beside what is read of it."""
    if name.endswith(("mamba.out_proj", ".linear", *(f"adapter_list.{k}.1" for k in range(9)))):
        return 0.25
    return 0.7 if name.endswith(QUERIES_AND_KEYS) else 1.0


def selection_bias(module) -> dict[str, torch.Tensor]:
    """What some routers add to choose by, which is a buffer where training sets it by other means than gradients."""
    return {word: buffer for word, buffer in module.named_buffers(recurse=False) if word in SELECTION_BIASES}


def draw_times(weights: Weights, name: str, parameter: torch.Tensor) -> None:
    """RWKV's numbers of each element: shares of a token and the one before, and decays, of which some are fast and some
    leave something over the whole prompt."""
    gain, around = (0.3, 0.5) if "time_mix" in name else (2.0, -2.0) if "time_decay" in name else (1.0, 0.0)
    weights.vector(name, parameter.numel(), gain=gain)
    weights.tensors[name] += around
    weights.tensors[name].shape = parameter.shape


def draw_experts(weights: Weights, name: str, experts: int, rows: int, columns: int, transposed: bool) -> None:
    """[experts, rows, columns], each as a projection is, or as one that lies transposed."""
    for expert in range(experts):
        weights.matrix(f"{name}.{expert}", *((columns, rows) if transposed else (rows, columns)))
    drawn = [weights.tensors.pop(f"{name}.{expert}") for expert in range(experts)]
    weights.tensors[name] = np.stack([matrix.T if transposed else matrix for matrix in drawn])


def as_saved(model, tensors: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Under the names and in the shapes of a file, where those are other than the class's: experts apart."""
    if all(tensor.ndim < 3 for tensor in tensors.values()) and model.config.model_type not in RENAMED:
        return tensors
    if model.config.model_type == "olmo_hybrid":
        return as_olmo_hybrid(model.config, tensors)
    own = model.state_dict()
    with torch.no_grad():
        for name, tensor in tensors.items():
            own[name].copy_(torch.from_numpy(tensor))
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        saved = load_file(Path(folder) / "model.safetensors")
    return {as_published(model.config, name): tensor.astype(np.float64)
            for name, tensor in saved.items() if not name.endswith(COMPUTED)}  # fmt: skip


def as_published(config, name: str) -> str:
    """The library writes an MLP where Kimi Linear's files have a mixture's experts."""
    alone = config.model_type == "kimi_linear" and re.search(r"block_sparse_moe\.\w+_proj\.", name)
    return name.replace("block_sparse_moe", "mlp") if alone else name


def as_olmo_hybrid(config, tensors: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """As the published files have them. The library would cut what is convolved into three parts of one size."""
    keys = config.linear_num_key_heads * config.linear_key_head_dim
    saved = {}
    for name, tensor in tensors.items():
        if name.endswith("linear_attn.conv1d.weight"):
            for word, part in zip("qkv", np.split(tensor, [keys, 2 * keys])):
                saved[name.replace("conv1d", f"{word}_conv1d")] = part
            continue
        layer = re.match(r"model\.layers\.(\d+)\.", name)
        if layer and config.layer_types[int(layer[1])] == "linear_attention":
            name = name.replace("input_layernorm", "attention_layer_norm")
            name = name.replace("post_attention_layernorm", "feedforward_layer_norm")
        saved[name] = tensor
    return saved


def other_values(key: str, value) -> list:
    """Values of the same form that mean something else."""
    if isinstance(value, bool):
        return [not value]
    if key == "pad_token_id":
        return [0, 7]
    if isinstance(value, int):
        return [2 * value] if value > 0 else [1]
    if "eps" in key:  # a little more or less of it would not show
        return [0.01]
    if isinstance(value, float):
        return [1.5 * value, 0.3 * value] if value > 0 else [0.5]
    if key in ("activation", "activation_fn_name", "activation_function", "activation_type", "hidden_act", "afn", "hidden_activation",
               "classifier_activation"):  # fmt: skip
        return [each for each in ("gelu", "relu", "silu") if each != value]
    if isinstance(value, list):
        return [value[::-1]]
    return [] if value is None else ["other"]


def idle_names(config: dict) -> tuple[str, ...]:
    """What is added to all keys, where they are not rotated and there are no sinks, matters to no score. OpenELM's
    classifier is never read."""
    if config["model_type"] == "openelm":
        return ("classifier.weight",)
    if config["model_type"] == "llama4_text":
        interval = config.get("no_rope_layer_interval", 4)
        turns = config.get("no_rope_layers") or [(i + 1) % interval for i in range(config["num_hidden_layers"])]
        return tuple(f"layers.{i}.self_attn.k_proj.bias" for i, each in enumerate(turns) if not each)
    if sources.answers(config):
        untied = config["model_type"] not in ("t5", "mt5", "umt5") and not config.get("tie_word_embeddings", True)
        idle = "cross_attn.k_proj.bias" if config["model_type"] == "t5gemma" else "k_proj.bias"  # its own keys turn
        return (idle, "shared.weight") if untied else (idle,)
    rotated = ("afmoe", "aria_text", "axk1", "bamba", "cohere2_moe", "cohere_compass_text", "deepseek_v2", "deepseek_v3",
               "diffllama", "dots1", "ernie4_5_moe", "falcon_h1", "flex_olmo", "flint", "glm4_moe", "glm4_moe_lite", "gpt_oss",
               "granite_swa", "granitemoe", "granitemoe_swa", "granitemoeshared", "hunyuan_v1_moe", "hy_v3", "llada",
               "mellum", "minicpm3", "minimax", "minimax_m2", "mixtral", "modernbert", "modernbert-decoder", "nomic_bert", "olmoe",
               "phi", "phimoe", "qwen2_moe", "qwen3_moe", "qwen3_5_moe_text", "qwen3_5_text", "qwen3_next", "recurrent_gemma", "solar_open", "youtu")  # fmt: skip
    if config.get("position_embedding_type") == "rope":
        rotated += ("granitemoehybrid",)
    if (config.get("rope_parameters") or {}).get("rope_theta") is not None:
        rotated += ("olmo_hybrid",)
    # Of heads that hidden states do not pass, and scores do.
    pooler = ("pooler.dense.weight", "pooler.dense.bias", "pooler.weight", "pooler.bias")
    if task_of(config) == "ForSequenceClassification":
        pooler = ()
    keys = ("k_proj.bias", "Wk.bias", "self.key.bias", "k_lin.bias", "attn.k.bias", "attention.key.bias")
    return pooler if config["model_type"] in rotated else (*pooler, *keys)
