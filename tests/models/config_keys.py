"""Writes tests/data/models/config_keys.json: the keys of the configs that are read, with their defaults, by version of
transformers. Needs no more than the wheels: their source is read, not run.

    pip download --no-deps transformers==4.57.1 && pip download --no-deps transformers==5.24.0
    python tests/models/config_keys.py transformers-4.57.1-*.whl transformers-5.24.0-*.whl
"""

import ast
import json
import sys
import zipfile
from pathlib import Path

OUT = Path(__file__).resolve().parents[2] / "tests" / "data" / "models" / "config_keys.json"

# The class that reads a config of each `model_type`, and its module where that has another name.
FAMILIES = {
    "albert": "AlbertConfig",
    "bert": "BertConfig",
    "bloom": "BloomConfig",
    "camembert": "CamembertConfig",
    "clip": "CLIPConfig",
    "clip_text_model": "clip.CLIPTextConfig",
    "clip_vision_model": "clip.CLIPVisionConfig",
    "cohere": "CohereConfig",
    "deit": "DeiTConfig",
    "dinov2": "Dinov2Config",
    "distilbert": "DistilBertConfig",
    "electra": "ElectraConfig",
    "falcon": "FalconConfig",
    "gemma": "GemmaConfig",
    "gemma2": "Gemma2Config",
    "gemma3": "Gemma3Config",
    "gemma3_text": "gemma3.Gemma3TextConfig",
    "gpt2": "GPT2Config",
    "gpt_bigcode": "GPTBigCodeConfig",
    "gpt_neo": "GPTNeoConfig",
    "gpt_neox": "GPTNeoXConfig",
    "gpt_oss": "GptOssConfig",
    "gptj": "GPTJConfig",
    "granite": "GraniteConfig",
    "llama": "LlamaConfig",
    "mistral": "MistralConfig",
    "mixtral": "MixtralConfig",
    "modernbert": "ModernBertConfig",
    "mpnet": "MPNetConfig",
    "mt5": "MT5Config",
    "nomic_bert": "NomicBertConfig",
    "olmo": "OlmoConfig",
    "olmo2": "Olmo2Config",
    "opt": "OPTConfig",
    "phi": "PhiConfig",
    "phi3": "Phi3Config",
    "qwen2": "Qwen2Config",
    "qwen3": "Qwen3Config",
    "qwen3_moe": "Qwen3MoeConfig",
    "roberta": "RobertaConfig",
    "siglip": "SiglipConfig",
    "siglip_text_model": "siglip.SiglipTextConfig",
    "siglip_vision_model": "siglip.SiglipVisionConfig",
    "smollm3": "SmolLM3Config",
    "stablelm": "StableLmConfig",
    "starcoder2": "Starcoder2Config",
    "t5": "T5Config",
    "vit": "ViTConfig",
    "xlm-roberta": "xlm_roberta.XLMRobertaConfig",
}
# Attributes of the classes that are no keys of a file.
NO_KEYS = (
    "_auto_class", "attribute_map", "base_config_key", "default_theta", "has_no_defaults_at_init",
    "keys_to_ignore_at_inference", "sub_configs", "sub_configs_defaults",
)
# The methods that read a file's keys.
READERS = ("__init__", "__post_init__", "convert_rope_params_to_dict")


def value(node):
    """A default as JSON; one that is no literal is computed (4 * 768), or unknown."""
    try:
        found = eval(compile(ast.Expression(node), "default", "eval"), {"__builtins__": {}})
    except Exception:
        return None
    return found if isinstance(found, (bool, int, float, str, list, dict, type(None))) else None


def keys_of_kwargs(function):
    """The keys that a method takes out of the other arguments, with their defaults: kwargs.pop("torch_dtype", None)."""
    for call in ast.walk(function):
        is_key = isinstance(call, ast.Call) and ast.unparse(call.func) in ("kwargs.pop", "kwargs.get", "kwargs.setdefault")
        if is_key and isinstance(call.args[0], ast.Constant):
            yield call.args[0].value, value(call.args[1]) if len(call.args) > 1 else None


def fields(tree, name):
    """The settings of a class: annotated fields (transformers 5), arguments of __init__ (4), keys that methods take out of
    the other arguments, and other names of settings, whose default is unknown."""
    keys, others = {}, {}
    for found in ast.walk(tree):
        if not (isinstance(found, ast.ClassDef) and found.name in name):
            continue
        for node in found.body:
            if isinstance(node, ast.AnnAssign) and "ClassVar" not in ast.unparse(node.annotation):
                keys[node.target.id] = value(node.value) if node.value else None
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "attribute_map":
                others |= dict.fromkeys(ast.literal_eval(node.value))
            if isinstance(node, ast.FunctionDef) and node.name in READERS:
                others |= dict(keys_of_kwargs(node))
            if isinstance(node, ast.FunctionDef) and node.name == "__init__":
                arguments, defaults = node.args.args[1:], node.args.defaults
                for argument, default in zip(arguments[len(arguments) - len(defaults) :], defaults):
                    keys[argument.arg] = value(default)
                for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults):
                    keys[argument.arg] = value(default) if default else None
            if isinstance(node, ast.FunctionDef) and node.name == "_get_global_generation_defaults":
                keys |= ast.literal_eval(node.body[-1].value)
    return {key: default for key, default in (others | keys).items()
            if key not in NO_KEYS and not key.startswith("base_model_")}


def keys_of(source, family, class_name):
    """All keys of a family's configs, sorted; `None` where this version of transformers has no such family."""
    *module, name = class_name.split(".")
    folder = module[0] if module else family
    tree = source(f"models/{folder}/configuration_{folder}.py")
    if tree is None:
        return None
    common = fields(source("configuration_utils.py"), ("PretrainedConfig", "PreTrainedConfig"))
    # Every config may have them, but only those of families with rotary positions are read.
    common = {key: default for key, default in common.items() if key not in ("rope_scaling", "rope_theta")}
    return dict(sorted((common | fields(tree, (name,))).items()))


def main():
    versions = {}
    for wheel in sys.argv[1:]:
        archive = zipfile.ZipFile(wheel)
        files = set(archive.namelist())

        def source(path):
            path = f"transformers/{path}"
            return ast.parse(archive.read(path).decode()) if path in files else None

        found = {family: keys_of(source, family, name) for family, name in FAMILIES.items()}
        versions[Path(wheel).name.split("-")[1]] = {family: keys for family, keys in found.items() if keys is not None}
    # A line for each family.
    blocks = (f'"{version}": {{\n' + ",\n".join(f' "{family}": {json.dumps(keys)}' for family, keys in found.items()) + "\n}"
              for version, found in versions.items())
    OUT.write_text("{\n" + ",\n".join(blocks) + "\n}\n", encoding="utf-8")


main()
