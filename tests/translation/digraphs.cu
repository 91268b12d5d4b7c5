#include <cuda_runtime.h>
%:define FREE(x) cudaFree(x)

void f(void* memory) <%
  FREE(memory);
  void* table<:1:> = <%memory%>;
%>
// ---- HIP ----
#include <hip/hip_runtime.h>
%:define FREE(x) hipFree(x)

void f(void* memory) <%
  FREE(memory);
  void* table<:1:> = <%memory%>;
%>
