# The developer's targets; a learner needs start.py alone. On Windows run the commands themselves.
PYTHON ?= python3
VENV = .venv/bin/

.PHONY: env notebooks pictures bundles widgets site nbgrader class test quick lint bench soak lock clean

env:
	$(PYTHON) start.py install

notebooks: env
	$(VENV)python course/build.py

# The README's pictures, by the widgets that they show
pictures: env
	$(VENV)python course/pictures.py

# The widgets' JavaScript, from ddl/widgets/source into ddl/widgets/bundle; needs node and npm
bundles:
	npm ci
	npm run build

# The course in a real JupyterLab, as a learner sees it: what it shows is left as pictures, or this fails
widgets: env bundles
	rm -rf tests/browser/shots
	$(VENV)python -m pytest tests/browser
	ls tests/browser/shots

# The notebooks as pages that open from disk, site/index.html first
site: env
	rm -rf site
	$(VENV)python course/pages.py

# The exercises as a course of nbgrader, and as an archive for students, without the answers
nbgrader: env
	$(VENV)python course/classroom.py nbgrader nbgrader

class: env
	mkdir -p dist
	$(VENV)python course/classroom.py zip dist/ddl-course.zip

test:
	$(PYTHON) start.py test

quick:
	$(PYTHON) start.py test --quick

lint: env
	$(VENV)ruff check
	$(VENV)ruff format --check
	$(VENV)codespell
	$(VENV)mypy

# Beside their rivals, which only the benches need; a limit that is missed ends it
bench: SHELL = bash
bench: env
	$(VENV)python -m pip install -e ".[bench]"
	echo "# What the benches measured" > tests/bench/RESULTS.md
	set -o pipefail; for file in $(filter-out %/timing.py,$(sort $(wildcard tests/bench/*.py))); do \
	    { printf '\n## %s\n\n' $$file && $(VENV)python $$file; } | tee -a tests/bench/RESULTS.md || exit 1; \
	done

# What takes too long for every day: ten minutes of training watched in a browser, the notebooks in other conditions
soak: SHELL = bash
soak: env
	echo "# What the soaks measured" > tests/soak/RESULTS.md
	set -o pipefail; for name in watched notebooks; do \
	    { printf '\n## tests/soak/%s.py\n\n' $$name && PYTHONPATH=tests $(VENV)python -m soak.$$name; } \
	        | tee -a tests/soak/RESULTS.md || exit 1; \
	done

# What CI installs, from a fresh environment with PyTorch in it
lock: clean env
	$(VENV)python -m pip install torch
	sed -n '1p' .ci/lock.txt > .ci/lock.new
	$(VENV)python -m pip freeze --exclude-editable | sed 's/+cpu$$//' >> .ci/lock.new
	mv .ci/lock.new .ci/lock.txt

clean:
	rm -rf .venv node_modules build dist site .mypy_cache .pytest_cache .ruff_cache tests/browser/shots
