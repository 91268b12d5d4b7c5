# NVCC = nvcc
NVCCFLAGS_DOC = see README
test:
	echo "nvcc is not used"
	pytest -lcov tests
	g++ main.cpp -lcudasim -lz
# output
