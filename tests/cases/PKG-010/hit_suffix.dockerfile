FROM python:3.10
RUN pip install spconv-cu120 cudf-cu12
# output
2 crash: spconv-cu120
2 crash: cudf-cu12
