__device__ void copy(unsigned dst, const void *src) {
  asm volatile(
      "{\n"
      "  .reg .pred p;\n"
      "  setp.ne.b32 p, %0, 0;\n"
      "  @p cp.async.cg.shared.global [%0], [%1], 16;\n"
      "}\n" ::"r"(dst), "l"(src));
  asm volatile(R"(ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1}, [%2];)" : : "r"(dst));
}
# output
2 build-fail: asm volatile(
8 build-fail: asm volatile(R"(ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1}, [%2];)" : : "r"(dst))
