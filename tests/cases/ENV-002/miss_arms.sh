if [ "$RAY" = old ]; then
    export ROCR_VISIBLE_DEVICES=0
else
    export HIP_VISIBLE_DEVICES=0
fi
# output
