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
FAMILIES = {"bert": "BertConfig", "distilbert": "DistilBertConfig", "gpt2": "GPT2Config"}


def value(node):
    """A default as JSON; one that is no literal is computed (4 * 768), or unknown."""
    try:
        found = eval(compile(ast.Expression(node), "default", "eval"), {"__builtins__": {}})
    except Exception:
        return None
    return found if isinstance(found, (bool, int, float, str, list, dict, type(None))) else None


def fields(tree, name):
    """The settings of a class: annotated fields (transformers 5), and arguments of __init__ (4)."""
    keys = {}
    for found in ast.walk(tree):
        if not (isinstance(found, ast.ClassDef) and found.name in name):
            continue
        for node in found.body:
            if isinstance(node, ast.AnnAssign) and "ClassVar" not in ast.unparse(node.annotation):
                keys[node.target.id] = value(node.value) if node.value else None
            if isinstance(node, ast.FunctionDef) and node.name in ("__init__", "__post_init__"):
                arguments, defaults = node.args.args[1:], node.args.defaults
                for argument, default in zip(arguments[len(arguments) - len(defaults) :], defaults):
                    keys[argument.arg] = value(default)
                for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults):
                    keys[argument.arg] = value(default) if default else None
                # What is taken out of the other arguments: kwargs.pop("torch_dtype", None).
                for call in ast.walk(node):
                    is_pop = isinstance(call, ast.Call) and ast.unparse(call.func) in ("kwargs.pop", "kwargs.get")
                    if is_pop and isinstance(call.args[0], ast.Constant):
                        keys[call.args[0].value] = value(call.args[1]) if len(call.args) > 1 else None
            if isinstance(node, ast.FunctionDef) and node.name == "_get_global_generation_defaults":
                keys |= ast.literal_eval(node.body[-1].value)
    # Leaves out attributes of the class that are no keys of a file, and settings that only other families have.
    for key in list(keys):
        if key in ("base_config_key", "sub_configs", "has_no_defaults_at_init", "attribute_map", "_auto_class") or (
            key.startswith("base_model_") or key in ("rope_scaling", "rope_theta")
        ):
            del keys[key]
    return keys


def main():
    versions = {}
    for wheel in sys.argv[1:]:
        archive = zipfile.ZipFile(wheel)
        source = lambda path: ast.parse(archive.read(f"transformers/{path}").decode())
        common = fields(source("configuration_utils.py"), ("PretrainedConfig", "PreTrainedConfig"))
        versions[Path(wheel).name.split("-")[1]] = {
            family: dict(sorted((common | fields(source(f"models/{family}/configuration_{family}.py"), (name,))).items()))
            for family, name in FAMILIES.items()
        }
    OUT.write_text(json.dumps(versions, indent=1) + "\n", encoding="utf-8")


main()
