module load rocm/6.3 gcc
module unload cuda
module purge
echo module load cuda
ml python/3.11
# output
