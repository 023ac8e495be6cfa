# make play      play in a learned world that comes with the package: in a window, or in a browser without a display
# make demo      learn a world model of a game, train a policy inside it and one in the game, measure them, and play
# make test      lint, types and tests
# make docs      the site of the documentation, into docs/_build/html
# make page      a static page with the worlds of the gallery, into build/page; needs Emscripten and npm
# make sanitize  the native games under the sanitizers of memory, undefined behaviour and threads
# make wheels    the source distribution and a wheel for each Python that is here, into dist/
VENV ?= .venv
export VENV
RUN ?= runs/demo
WORLD ?= gallery:coinrun
WORLDMODELS := $(VENV)/bin/worldmodels
# Where this is set, Python compiles all of TensorFlow's modules at each start, which takes ten seconds.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: play demo docs test tests style types coverage lint lint-native format slow-test sanitize wheels distribution-test page setup clean

# Without a display the world is played in a browser, which needs the extra `web`.
WITHOUT_DISPLAY := $(if $(DISPLAY)$(WAYLAND_DISPLAY),,web)

play:
	@scripts/setup $(WITHOUT_DISPLAY)
	$(WORLDMODELS) play $(WORLD) $(WITHOUT_DISPLAY:%=--%)

demo:
	@scripts/setup
	$(WORLDMODELS) train --config demo --logdir $(RUN)
	$(WORLDMODELS) train --config demo_ppo --logdir $(RUN)_ppo
	$(WORLDMODELS) eval $(RUN) --episodes 512 --levels both
	$(WORLDMODELS) eval $(RUN)_ppo --episodes 512 --levels both --videos 0
	$(WORLDMODELS) compare $(RUN) $(RUN)_ppo
	$(WORLDMODELS) enjoy $(RUN) --steps 300 --put-back-every 30 --video $(RUN)/videos/demo.mp4
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ]; then $(WORLDMODELS) play $(RUN); else \
	  echo "No display here, so the player stays closed. Where there is one: $(WORLDMODELS) play $(RUN)"; fi

# Two processes, each with whole files, whose tests share what is costly to set up; in the order of tests/conftest.py.
PROCESSES := -n 2 --dist loadfile --no-loadscope-reorder

# Types are checked beside the tests, which leave the second core idle at times.
test: style
	@$(MAKE) --no-print-directory -j 2 types tests

tests:
	$(VENV)/bin/python -m pytest $(PROCESSES)

# The same tests, and which lines of the package they run; `$(VENV)/bin/coverage report -m` says which they do not.
coverage: lint
	@rm -f .cache/coverage*  # processes that tests killed leave some
	$(VENV)/bin/python -m pytest $(PROCESSES) --cov --cov-report=term

# Warnings are errors.
docs:
	@scripts/setup docs
	$(VENV)/bin/python docs/make_site.py

lint: style types

style:
	@scripts/setup test
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .

types:
	$(VENV)/bin/mypy worldmodels tests benchmarks

# It takes minutes on two cores, so it is not a part of `lint`.
lint-native:
	@scripts/setup test
	@scripts/lint_native

# A page has no keys for actions that are numbers.
WORLDS := $(filter-out gallery:pendulum,$(patsubst worldmodels/gallery/%.world,gallery:%,$(wildcard worldmodels/gallery/*.world)))

page:
	@scripts/setup onnx
	@scripts/page
	@for world in $(WORLDS); do $(WORLDMODELS) publish $$world --page build/page || exit 1; done

slow-test: sanitize
	@scripts/setup test
	$(VENV)/bin/python -m pytest -m slow

sanitize:
	@scripts/setup test
	@scripts/sanitize

format:
	@scripts/setup test
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .
	find worldmodels/envs/native tests/envs/native -name '*.h' -o -name '*.cpp' | xargs $(VENV)/bin/clang-format -i

wheels:
	scripts/wheels

distribution-test:
	@scripts/setup test
	$(VENV)/bin/python -m pytest -m "slow or not slow" tests/test_distribution.py

setup:
	@scripts/setup

clean:
	rm -rf $(VENV) build dist *.egg-info worldmodels/envs/native/_native*.so
