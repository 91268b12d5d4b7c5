#include <dlfcn.h>
void *driver() { return dlopen("libcuda.so.1", RTLD_NOW); }
void *management() { return ::dlopen("/usr/lib64/libnvidia-ml.so", RTLD_LAZY); }
# output
2 crash: "libcuda.so.1"
3 crash: "/usr/lib64/libnvidia-ml.so"
# fixed
--- hit_opened_by_name.cpp
+++ hit_opened_by_name.cpp.hip
@@ -1,3 +1,3 @@
 #include <dlfcn.h>
-void *driver() { return dlopen("libcuda.so.1", RTLD_NOW); }
+void *driver() { return dlopen("libamdhip64.so", RTLD_NOW); }
 void *management() { return ::dlopen("/usr/lib64/libnvidia-ml.so", RTLD_LAZY); }
