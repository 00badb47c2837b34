# The targets a newcomer needs: make, make dev, make script. CI runs the same ones.
GO     ?= go
BIN    ?= bin/fairlead
export CGO_ENABLED = 0

.PHONY: all real-external build fmt vet lint test race script gopls ripgrep browser browser-bench crash fuzz bench bench-sessions golden gen ui dev types deps check clean real-model

all: fmt vet lint test build

build:
	$(GO) build -trimpath -ldflags='-s -w' -o $(BIN) ./cmd/fairlead

fmt:
	@out=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$out" || { echo "not gofmt-ed:"; echo "$$out"; exit 1; }

vet:
	$(GO) vet ./...

lint:
	$(GO) tool -modfile=tools/lint/go.mod staticcheck ./...

# Everything, on a machine that has only Go, make and a C library: what tests need is
# installed first, and nothing is skipped.
check: deps fmt vet lint test gopls ripgrep browser crash
	@echo "all checks passed"

# The browser of the browser tests, from the system's packages.
deps:
	@command -v chromium >/dev/null || { echo "installing chromium"; \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; }

# Every test but those that need a browser or minutes.
test:
	$(GO) test $$($(GO) list ./... | grep -v -e /e2e$$ -e /crash$$)
	cd tools/webbuild && $(GO) test -count=1 ./...

race:
	CGO_ENABLED=1 $(GO) test -race ./graph/... ./session/... ./agent/... ./tool/... ./permission/... ./server/...

script:
	$(GO) test ./app/... ./cmd/...

browser:
	$(GO) test -count=1 ./ui/e2e/...

# The language server that tools/gopls pins, built and asked as a real process.
gopls:
	$(GO) test -count=1 -tags gopls -run Gopls ./toolbox

# Searching beside ripgrep: the same ignore rules, and how fast as a share of it.
ripgrep:
	@command -v rg >/dev/null || { echo "installing ripgrep"; \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ripgrep >/dev/null; }
	$(GO) test -count=1 -tags ripgrep -run Ripgrep -bench BesideRipgrep -benchtime 3x ./toolbox

# What the page costs: CPU of a streaming reply, of a long session. Reported, not asserted.
browser-bench:
	$(GO) test ./ui/e2e -run '^$$' -bench . -benchtime 1x

# The reference MCP servers of npm as real processes; needs node and npm.
real-mcp:
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && for s in everything filesystem memory; do set -- "$$@" @modelcontextprotocol/server-$$s@2026.8.31; done && \
	  npm install --silent --no-audit --no-fund --prefix "$$dir" "$$@" && $(GO) test -count=1 -v -tags realmcp ./mcp -run Real -args -servers "$$dir"

# The real agents of npm, signed in with a dummy key at a scripted model; needs node and
# npm. RECORD=-record writes what they print to external/testdata.
real-external:
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && \
	  npm install --silent --no-audit --no-fund --prefix "$$dir" @anthropic-ai/claude-code@2.1.197 @openai/codex@0.171.0 && \
	  node "$$dir/node_modules/@anthropic-ai/claude-code/install.cjs" && \
	  $(GO) test -count=1 -v -tags realexternal ./external -run Real -args -programs "$$dir" $(RECORD)

# kill -9 loops against the real binary; KILLS sets how many.
crash:
	$(GO) test -count=1 ./crash/... -kills=$(or $(KILLS),200)

# FUZZTIME for each target.
fuzz:
	@for p in $$($(GO) list ./...); do for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz'); do \
	  echo "$$p $$f"; $(GO) test $$p -run '^$$' -fuzz "^$$f$$" -fuzzminimizetime 50x -fuzztime $(or $(FUZZTIME),20s) || exit 1; done; done

# Fairlead beside the floor, the least possible loop: one table of ratios.
bench:
	$(GO) run ./bench

# The log and the catalog: growth from a thousand events to a million.
bench-sessions:
	$(GO) test ./session ./catalog -run '^$$' -bench .

# A real engine with a small model: built and fetched into ENGINE, minutes the first time.
ENGINE ?= $(HOME)/.cache/fairlead-engine
real-model:
	sh testkit/realmodel/install.sh $(ENGINE)
	$(GO) test -tags realmodel -count=1 -timeout 60m ./testkit/realmodel -engine $(ENGINE) -update

golden:
	$(GO) test ./app ./cmd/fairlead ./testkit -count=1 -update

# Generated files: catalogs of docs/, wire types and messages of the page.
gen:
	$(GO) generate ./...
	$(GO) test ./permission/proof -run Fresh -count=1 -update

# The page's sources, type-checked. The compiler is the one step that needs npm.
types:
	cd ui && npx --yes --package typescript@7.0.2 tsc --project tsconfig.json

ui:
	cd tools/webbuild && $(GO) run . -root ../..

dev: ui
	$(GO) run ./cmd/fairlead web --demo

clean:
	rm -rf bin dist
