PYTHON ?= python3
WORKERS ?= 2

VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip -qq --disable-pip-version-check
USE := $(VENV)/.use
STAMP := $(VENV)/.stamp
SCRATCH := build/scratch
# One worker more than cores, as some tests wait for programs.
PYTEST := $(PY) -m pytest -q --dist worksteal -n $$(($(WORKERS) + 1))

.DEFAULT_GOAL := help
.PHONY: help setup browser conform demo figure-tpl paper test test-all test-slow lowest explore fuzz lint imports types doctest docs built wheel wheel-check vectors proofs article mutants mutants-checker faults conform-mutants bench cliffs growth lock known-faults release-check release clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(STAMP) ## create .venv with what tests and tools need, and the project editable in it

$(USE): requirements.lock pyproject.toml
	@echo "set-up: $(VENV), with $$(grep -c '^[a-z]' requirements.lock) packages of requirements.lock ..."
	@$(PYTHON) -m venv --clear $(VENV)
	@$(PIP) install --require-hashes --requirement requirements.lock
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(STAMP): $(USE) requirements-dev.lock
	@echo "set-up: $$(grep -c '^[a-z]' requirements-dev.lock) packages of requirements-dev.lock, for tests and tools; a minute ..."
	@$(PIP) install --require-hashes --requirement requirements-dev.lock
	@touch $@

conform: $(USE) ## test two example implementations: one that rounds to the safe side, and one with the usual mistakes
	@$(PY) examples/conform.py

demo: $(USE) ## run examples/demo.py
	@$(PY) examples/demo.py

figure-tpl: $(USE) ## run examples/figure_tpl.py
	@$(PY) examples/figure_tpl.py

paper: $(STAMP) ## reproduce the experiments of the paper, docs/experiments.md, and write build/paper/referee.html for its authors
	@$(PY) -m proofs_checks.experiments
	@nice $(PY) examples/referee.py

browser: ## have a browser for the tests of pages, which is installed by apt-get where it may
	.ci/browser

# Where these are set, pytest compares two long values word by word, which for two pictures that differ takes hours.
unexport CI BUILD_NUMBER

# They start hundreds of programs, each of which would compile the package anew where the caller keeps no bytecode.
test test-all test-slow: export PYTHONDONTWRITEBYTECODE :=

test: $(STAMP) ## run the tests, all but the slow ones: about ten minutes on two cores (OPTIONS=--lf)
	$(PYTEST) $(OPTIONS)

test-all: $(STAMP) ## run all tests, an hour, before a release
	$(PYTEST) -m ''

test-slow: $(STAMP) ## run the tests that `make test` leaves out, but for those that do all of what another does a part of
	$(PYTEST) -m 'slow and not exhaustive'

TABLES := every_road one_question totals labels_in_another_order missing_values what_is_a_sequence names_of_states how_tables_are_written

# uv resolves what each extra admits to its lowest version; what only tests need is the newest.
lowest: ## run the tests of tables, streams and strategies with the lowest versions of numpy, pandas, Polars, pyarrow, narwhals and hypothesis that pyproject.toml admits
	@mkdir -p $(SCRATCH)
	@$(PYTHON) -m venv --clear $(SCRATCH)/lowest
	@$(SCRATCH)/lowest/bin/python -m pip -qq --disable-pip-version-check install uv
	@$(PYTHON) .ci/lowest.py > $(SCRATCH)/lowest.txt
	$(SCRATCH)/lowest/bin/uv pip install -q --python $(SCRATCH)/lowest/bin/python --constraint $(SCRATCH)/lowest.txt --editable '.[dev]'
	$(SCRATCH)/lowest/bin/python -m pytest -q --ignore-glob="*ledger*" tests/oracle/data tests/oracle/test_tabular.py tests/oracle/strategies $(TABLES:%=tests/decisions/test_%.py)

explore: $(STAMP) ## run the tests that draw, on others and more of them (MINUTES=60, FACTOR=4, SEED=1, TESTS=tests/reference)
	$(PY) -m tests.explore $(if $(MINUTES),--minutes $(MINUTES)) $(if $(FACTOR),--factor $(FACTOR)) \
	  $(if $(SEED),--seed $(SEED)) --workers $(WORKERS) $(if $(TESTS),'$(TESTS)')

fuzz: $(STAMP) ## attack the oracle with what is malformed and hostile (MINUTES=600, SEED=1, ATTACKS='wire files')
	$(PY) -m tests.fuzz $(ATTACKS) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(SEED),--seed $(SEED)) --workers $(WORKERS)

lint: $(STAMP) ## check style and format, that no code is dead, and that a name means one thing
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m vulture
	$(PY) .ci/one_name.py

imports: built ## check that the packages import one way, and that no two modules import each other
	cd $(SCRATCH)/built && "$(CURDIR)/$(VENV)/bin/lint-imports" --no-cache --no-logo --config "$(CURDIR)/pyproject.toml"
	cd $(SCRATCH)/built && PYTHONPATH=. "$(CURDIR)/$(PY)" "$(CURDIR)/.ci/circles.py"

types: built ## type-check the built package, and the generators of the vectors against it
	cd $(SCRATCH)/built && "$(CURDIR)/$(PY)" -m mypy --strict --config-file "$(CURDIR)/pyproject.toml" -p tploracle
	cd $(SCRATCH)/built && MYPYPATH="$(CURDIR)" "$(CURDIR)/$(PY)" -m mypy --strict --config-file "$(CURDIR)/pyproject.toml" -p vectors.generators

doctest: $(STAMP) ## run the examples in docstrings, README.md and docs/
	$(PY) -W error .ci/doctests.py

docs: $(STAMP) ## build the documentation, build/site/index.html, and check its links, formulas and search
	$(PY) .ci/links.py
	@rm -rf build/site
	$(PY) docs/site/sources.py $(SCRATCH)/site
	$(PY) -m sphinx -q -E -W --keep-going -c docs/site -d $(SCRATCH)/doctrees $(SCRATCH)/site build/site
	$(PY) .ci/links.py build/site
	$(PY) .ci/in_browser.py build/site

built: wheel
	@echo 'built: installing the wheel into $(SCRATCH)/built ...'
	@rm -rf $(SCRATCH)/built
	@$(PY) -m pip -qq --disable-pip-version-check install --no-deps --target $(SCRATCH)/built dist/*.whl

wheel: $(STAMP)
	@echo 'wheel: building dist/*.whl ...'
	@rm -rf build/lib build/bdist.* dist
	@mkdir -p $(SCRATCH)
	@$(PY) -m build --wheel --no-isolation --outdir dist . > $(SCRATCH)/wheel.log 2>&1 \
	  || { cat $(SCRATCH)/wheel.log; exit 1; }

wheel-check: wheel ## install the built wheel in a fresh environment and import all of it
	$(PYTHON) -m venv --clear $(SCRATCH)/wheel
	.ci/wheel_check $(SCRATCH)/wheel dist/*.whl

vectors: $(STAMP) ## check that vectors/ is what its generators make, and keeps its rules
	$(PY) -m vectors.generators check
	$(PY) -m vectors.generators lint

proofs: $(STAMP) ## check the proofs for all n by Rocq, which is installed by apt-get where it may; build and test the verified checker and implementation
	$(PYTHON) .ci/proofs.py
	$(PY) -m pytest -q tests/certificates/test_verified.py tests/certificates/test_json_reader.py tests/certificates/test_proven_implementation.py

article: $(STAMP) ## build the article, build/article/article.pdf, by latexmk, which is installed by apt-get where it may (NUMBERS=yes computes its numbers anew)
	@.ci/latex
	$(if $(NUMBERS),$(PY) docs/paper/article_numbers.py)
	@mkdir -p build/article
	cd docs/paper && latexmk -pdf -silent -interaction=nonstopmode -halt-on-error -output-directory="$(CURDIR)/build/article" article.tex

mutants: $(STAMP) ## break reference/ in small ways: its tests must notice (MODULE=levels, SAMPLE=200, JOBS=2), or the evidence of claims (EVIDENCE=yes, SOURCE=solvers), or quick tests what all do (ACROSS=yes SAMPLE=300)
	nice $(PY) -m tests.mutation$(if $(EVIDENCE),.evidence) $(MODULE) $(if $(SAMPLE),--sample $(SAMPLE)) --jobs $(or $(JOBS),1) \
	  $(if $(SOURCE),--source $(SOURCE)) $(if $(ACROSS),--across,$(if $(EVIDENCE),,--publish docs/mutation.md))

DEFENDED := rows checker trade_off reading profile above above_doubles above_for_ever above_loss above_second_order above_histories above_both_sides above_lines above_guess above_profile above_sparse
PINNED := boundaries checker steps profile_certificates above above_loss above_second_order above_histories above_sides above_profile above_sparse
CHANGED := --since HEAD~1 --sample 12 --each 3

mutants-checker: $(STAMP) ## break the certificate checker, and the check from above in doubles, in small ways, at most 12 in lines that differ from the commit before, or all (SINCE=), or those since a commit (SINCE=HEAD~9)
	nice $(PY) -m tests.mutation $(DEFENDED:%=--source certificates/%.py) $(PINNED:%=--tests tests/certificates/test_%.py) --quick --enough 15 \
	  --jobs $(or $(JOBS),1) $(if $(filter undefined,$(origin SINCE)),$(CHANGED),$(SINCE:%=--since %))

faults: $(STAMP) ## break the solvers in small ways: no number below the truth may come out (SAMPLE=300, SEED=0), or break the check from above, whose tests must notice (CHECK=yes)
	nice $(PY) -m tests.mutation$(if $(CHECK), --source certificates/above.py --source certificates/above_doubles.py --source certificates/above_lines.py --source certificates/above_for_ever.py --tests tests/certificates/test_above.py,.faults \
	  --sample $(or $(SAMPLE),300) --seed $(or $(SEED),0) --publish docs/mutation.md) --jobs $(or $(JOBS),2)

conform-mutants: $(STAMP) ## draw wrong implementations, and count those that the standard tier finds (SAMPLE=100 of each operation, SEEDS='0 1', OPERATIONS=)
	nice $(PY) -m tests.wrong_implementations $(if $(OPERATIONS),--operations $(OPERATIONS)) $(if $(SAMPLE),--sample $(SAMPLE)) $(if $(SEEDS),--seeds $(SEEDS)) --publish docs/conformance.md

bench: $(STAMP) ## run the benchmarks
	$(PY) benchmarks/run.py

cliffs: $(STAMP) ## draw questions of every structure and size, and print those that take much longer than with a random matrix (DRAWS=400, SEED=0, LIMIT=20)
	$(PY) benchmarks/cliffs.py $(if $(DRAWS),--draws $(DRAWS)) $(if $(SEED),--seed $(SEED)) $(if $(LIMIT),--limit $(LIMIT))

growth: $(STAMP) ## measure and draw how every method grows with n and with alpha
	$(PY) benchmarks/growth.py

lock: ## write requirements.lock and requirements-dev.lock anew
	$(PYTHON) -m venv --clear $(SCRATCH)/lock
	$(SCRATCH)/lock/bin/python -m pip -qq --disable-pip-version-check install uv
	.ci/lock $(SCRATCH)/lock/bin/uv

known-faults: ## look up the locked packages in the list of known vulnerabilities (UNAUDITED=yes where the index has no such list), and write build/sbom.json, a CycloneDX list of them
	@$(PYTHON) -m venv --clear $(SCRATCH)/audit
	@$(SCRATCH)/audit/bin/python -m pip -qq --disable-pip-version-check install pip-audit
	@UNAUDITED=$(UNAUDITED) $(PYTHON) .ci/known_faults.py $(SCRATCH)/audit/bin/pip-audit

release-check: $(STAMP) ## check version, changelog and citation; build build/release (sdist, wheel, recipe); install it for every Python that is here, and run README's commands and the tests of the sdist (PYTHONS='python3.12 ...', OPTIONS=tests/docs)
	$(PY) .ci/release_check.py
	$(if $(PYTHONS),PYTHONS='$(PYTHONS)') OPTIONS='$(OPTIONS)' $(PY) .ci/release_build.py

release: known-faults release-check ## everything of a release but the tag and the upload: release-check, the list of packages, the vectors, and SHA256SUMS of all
	cp build/sbom.json build/release
	$(PY) -m tploracle vectors export build/release/tploracle-vectors.tar.gz
	cd build/release && rm -f SHA256SUMS && sha256sum * > ../SHA256SUMS && mv ../SHA256SUMS .

clean: ## remove everything that make creates
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
