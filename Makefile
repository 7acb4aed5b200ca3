# Lipscope. `make` alone lists what there is. Each target first installs what it lacks; see scripts/setup.sh.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help serve build release packages test check test-native test-wasm test-e2e test-npm test-python test-models fuzz soak bench times npm python advisories setup clean
# Every target uses all cores by itself, and they share one build folder.
.NOTPARALLEL:
# Trunk takes the usual NO_COLOR=1 for a mistake.
unexport NO_COLOR

setup := bash scripts/setup.sh

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

serve: ## build the page, serve it and open it (PORT=8080, ADDRESS=127.0.0.1)
	@$(setup) wasm
	@PORT="$(PORT)" ADDRESS="$(ADDRESS)" bash scripts/serve.sh

build: ## build the static site into dist/
	@$(setup) wasm
	@bash scripts/build.sh

release: packages ## all packages, then the site and, for this machine, the command line into dist-release/, with digests
	@$(setup) wasm
	@bash scripts/release.sh
	@bash scripts/packages/binary.sh

packages: npm python ## pack crates, npm package, wheel and source distribution into dist-packages/, and use each as a stranger would
	@$(setup) packaging
	@bash scripts/packages/crate.sh
	@bash scripts/packages/npm.sh
	@bash scripts/packages/python.sh

test: ## run everything: check, native, wasm, site, e2e, npm, python
	@$(setup) wasm browser e2e npm numpy maturin actionlint linters lab
	@bash scripts/test.sh

check: ## formatting, lints on both targets, spelling, documentation, the public API, workflows, and that versions and packages' descriptions agree
	@$(setup) wasm actionlint linters
	@bash scripts/test.sh check

test-native: ## the tests of the engine and the command line, and of the licences and advisories of dependencies
	@$(setup) rust numpy
	@bash scripts/test.sh native

test-wasm: ## the same numbers in headless Chromium, in the page and in a worker
	@$(setup) wasm browser
	@bash scripts/test.sh wasm

test-e2e: ## build the site and use it in Chromium
	@$(setup) wasm browser e2e
	@bash scripts/test.sh site e2e

test-npm: ## build the npm package and use it in Node
	@$(setup) npm
	@bash scripts/test.sh npm

test-python: ## build the Python package and use it, its widget in JupyterLab and Notebook too
	@$(setup) wasm browser e2e numpy maturin lab
	@bash scripts/test.sh site python

test-models: ## a trained encoder, drawn models of every family and lipscope.torch against PyTorch, table on standard output (installs PyTorch and the model)
	@$(setup) rust maturin
	@bash scripts/test-models.sh

fuzz: ## random and broken input at every door, on all cores (MINUTES=30, SEED=a new one, DOOR=all, PROCESSES=one a core)
	@$(setup) rust
	@bash scripts/fuzz.sh

soak: ## random actions on the built site for a long time (MINUTES=60, SEED=1)
	@$(setup) wasm browser e2e
	@bash scripts/soak.sh

bench: ## measure: native, in Chromium, and PyTorch, which it installs (PARTS="native sizes": see benches/run.sh)
	@$(setup) wasm browser e2e python
	@bash scripts/bench.sh $(PARTS)

times: ## time `make serve` on an empty target and the last `make test` (PARTS=...: see scripts/times.sh)
	@$(setup) wasm
	@bash scripts/times.sh $(PARTS)

npm: ## build the npm package into pkg/
	@$(setup) npm
	@bash scripts/npm.sh

python: ## build the Python package into dist-python/, with the site for notebooks
	@$(setup) wasm maturin
	@bash scripts/build.sh
	@bash scripts/python.sh

advisories: ## renew tests/advisories from a clone of rustsec/advisory-db (DATABASE=its folder)
	@bash scripts/advisories.sh $(DATABASE)

setup: ## install every tool but PyTorch
	@$(setup) wasm browser e2e npm numpy maturin packaging actionlint linters lab

clean: ## remove what was built (the tools stay)
	rm -rf target dist dist-release dist-packages dist-python pkg crates/python/python/lipscope/site tests/e2e/node_modules tests/e2e/results
