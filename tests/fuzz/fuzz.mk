# Rules of tools/fuzz, which says what to compile: $(OUT)/TARGET for each of TARGETS, of READERS and,
# those in WITH_MESSAGES, of MESSAGES and PROTOS too.
#
# A target is linked with what it calls and nothing else: functions that nobody calls are dropped
# before the linker looks for what they call. What a target does call and no list has is an error of
# the linker, which names it.

CXX := clang++
CXXFLAGS := -std=c++20 -O1 -gline-tables-only -ffunction-sections -fdata-sections -I. -I$(OUT)
SANITIZERS := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined \
  -fsanitize-address-globals-dead-stripping
# The sanitizers' tables of all functions keep none: start-stop-gc.
LDFLAGS := -fsanitize=fuzzer,address,undefined -no-pie \
  -Wl,--gc-sections,-z,start-stop-gc,--as-needed
LIBS := $(patsubst lib%.so,-l%,$(notdir $(wildcard /usr/lib/*/libabsl_*.so))) \
  -lprotobuf -lcjose -ljansson -lcrypto -lspdlog -lfmt -lutf8proc

OBJECTS = $(patsubst %.cc,$(OUT)/%.o,$(1:$(OUT)/%=%))

.SECONDARY:
all: $(addprefix $(OUT)/, $(TARGETS))

$(OUT)/readers.a: $(call OBJECTS,$(READERS))
$(OUT)/messages.a: $(call OBJECTS,$(MESSAGES)) $(PROTOS:proto/%.proto=$(OUT)/%.pb.o)
$(OUT)/%.a:
	@rm -f $@
	@ar rcs $@ $^

$(addprefix $(OUT)/, $(WITH_MESSAGES)): $(OUT)/messages.a
$(OUT)/%: $(OUT)/tests/fuzz/%_fuzz.o $(OUT)/tests/fuzz/libfuzzer.o $(OUT)/readers.a
	@echo "linking $*"
	@$(CXX) $(LDFLAGS) $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group \
	  $(LIBS) -o $@

# All generated headers are there before a source that may include them.
$(call OBJECTS,$(MESSAGES)) $(patsubst %,$(OUT)/tests/fuzz/%_fuzz.o,$(WITH_MESSAGES)): \
  | $(OUT)/generated

COMPILE = @mkdir -p $(@D); echo "compiling $<"; \
  $(CXX) $(CXXFLAGS) $(SANITIZERS) -MMD -MP -c $< -o $@
$(OUT)/%.o: $(OUT)/%.cc
	$(COMPILE)
$(OUT)/%.o: %.cc
	$(COMPILE)

# Generated code is not instrumented.
$(OUT)/generated: $(PROTOS)
	@mkdir -p $(OUT)
	@protoc -Iproto --cpp_out=$(OUT) $(PROTOS)
	@touch $@
$(OUT)/%.pb.o: SANITIZERS :=
$(OUT)/%.pb.cc: $(OUT)/generated ;
-include $(shell find $(OUT) -name '*.d' 2> /dev/null)
