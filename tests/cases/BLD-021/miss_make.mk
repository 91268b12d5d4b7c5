CFLAGS = -O3 -t -G
TARFLAGS = --keep
test:
	pytest --threads 4
	echo "--use_fast_math"
# output
