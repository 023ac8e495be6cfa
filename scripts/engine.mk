# Compiles the games to WebAssembly, for scripts/page: the sources of the Python package as they are, and a C interface.
EMCC ?= emcc
NATIVE := worldmodels/envs/native
OUT := build/engine
# Those of setup.py that decide about results, and WebAssembly's vectors and exceptions.
FLAGS := -std=c++17 -O3 -ffp-contract=off -msimd128 -fwasm-exceptions -I$(NATIVE)
SOURCES := $(filter-out $(NATIVE)/binding/%, $(sort $(shell find $(NATIVE) -name '*.cpp')))
HEADERS := $(shell find $(NATIVE) -name '*.h')
OBJECTS := $(SOURCES:$(NATIVE)/%.cpp=$(OUT)/objects/%.o)
EXPORTS := $(shell grep -oE 'engine_[a-z_]+' $(NATIVE)/page/engine.cpp | sort -u | sed 's/^/_/' | paste -sd,),_malloc,_free

$(OUT)/engine.wasm: $(OBJECTS)
	$(EMCC) $(FLAGS) --no-entry -sSTANDALONE_WASM -sALLOW_MEMORY_GROWTH -sEXPORTED_FUNCTIONS=$(EXPORTS) $^ -o $@

$(OUT)/objects/%.o: $(NATIVE)/%.cpp $(HEADERS)
	@mkdir -p $(@D)
	$(EMCC) $(FLAGS) -c $< -o $@
