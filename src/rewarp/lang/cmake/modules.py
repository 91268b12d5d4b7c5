"""What CMake brings along: modules, variables and commands that a project does not define itself."""

from __future__ import annotations

import re

MODULES = frozenset(
    "CMakeDependentOption CMakeFindDependencyMacro CMakePackageConfigHelpers CMakeParseArguments CMakePrintHelpers "
    "CMakePushCheckState CPack CTest CheckCCompilerFlag CheckCSourceCompiles CheckCSourceRuns CheckCXXCompilerFlag "
    "CheckCXXSourceCompiles CheckCXXSourceRuns CheckCXXSymbolExists CheckFunctionExists CheckIPOSupported CheckIncludeFile "
    "CheckIncludeFileCXX CheckIncludeFiles CheckLanguage CheckLibraryExists CheckLinkerFlag CheckPIESupported "
    "CheckStructHasMember CheckSymbolExists CheckTypeSize CheckCompilerFlag CheckSourceCompiles CheckSourceRuns "
    "ExternalProject ExternalData FeatureSummary FetchContent FindPackageHandleStandardArgs FindPackageMessage FindCUDA "
    "FindCUDAToolkit FindPython FindPython3 FindThreads FindOpenMP FindMPI FindGit GNUInstallDirs GenerateExportHeader "
    "GoogleTest InstallRequiredSystemLibraries ProcessorCount SelectLibraryConfigurations TestBigEndian UseSWIG UseJava "
    "WriteCompilerDetectionHeader WriteBasicConfigVersionFile CheckFortranCompilerFlag CheckFortranSourceCompiles CheckFortranSourceRuns CheckFortranFunctionExists CheckVariableExists "
    "CheckPrototypeDefinition AddFileDependencies Documentation".split()
)
OF_CMAKE = (
    re.compile(
        r"CMAKE_(?:C|CXX|CUDA|HIP|ASM|Fortran|OBJC|OBJCXX)_(?:COMPILER\w*|FLAGS_\w+|PLATFORM_ID|SIMULATE_\w+|ABI_\w+|"
        r"IMPLICIT_\w+|ARCHITECTURES\w*|COMPILE_\w+|BYTE_ORDER|LIBRARY_ARCHITECTURE|OUTPUT_EXTENSION\w*|STANDARD_\w+_DEFAULT|"
        r"HOST_COMPILER\w*|STANDARD_DEFAULT|LINKER\w*|SOURCE_FILE_EXTENSIONS)"
    ),
    re.compile(
        r"CMAKE_(?:AR|RANLIB|LINKER|NM|STRIP|OBJCOPY|OBJDUMP|SIZEOF_VOID_P|LIBRARY_ARCHITECTURE|GENERATOR\w*|MAKE_PROGRAM|"
        r"COMMAND|CTEST_COMMAND|ROOT|PREFIX_PATH|DL_LIBS|EXE_LINKER_FLAGS\w*|HOST_SYSTEM\w*|SYSTEM|SYSTEM_VERSION|"
        r"SYSTEM_PROCESSOR|INSTALL_\w+|CPACK_\w+|VERSION|MAJOR_VERSION|MINOR_VERSION|PATCH_VERSION|TWEAK_VERSION|"
        r"THREAD_LIBS_INIT|USE_PTHREADS_INIT|HOST_\w+|INTERNAL_\w+|SYSTEM_\w+|COMPILER_IS_GNU\w*)"
    ),
)
"""Variables that CMake sets after looking at the machine."""
MORE_NAMES = {
    "cuda": ("CUDA",),
    "cudatoolkit": ("CUDA_", "CUDAToolkit_"),
    "torch": ("TORCH_", "Caffe2_", "CAFFE2_", "CUDA_", "CUDNN_", "HIP_", "ROCM_", "PYTORCH_", "MKL_", "USE_CUDNN"),
    "caffe2": ("CUDA_", "HIP_", "ROCM_", "TORCH_"),
    "hip": ("HIP_", "hip_", "ROCM_", "AMDGPU_"),
    "rocm": ("ROCM_", "rocm_"),
    "pythoninterp": ("PYTHON",),
    "pythonlibs": ("PYTHON",),
    "pybind11": ("PYTHON", "Python"),
    "nanobind": ("NB_",),
    "cudnn": ("CUDNN_",),
    "opencv": ("OpenCV_", "CV_", "OPENCV_"),
    "threads": ("CMAKE_THREAD", "CMAKE_HAVE_", "THREADS_"),
    "pkgconfig": ("PKG_CONFIG",),
    "gtest": ("GTEST_", "GMOCK_"),
    "googletest": ("GTEST_", "GMOCK_"),
    "eigen3": ("EIGEN_",),
    "mpi": ("MPIEXEC",),
    "llvm": ("LLVM_", "CLANG_", "MLIR_"),
    "legion": ("Legion_", "REALM_", "Realm_"),
    "kokkos": ("Kokkos_", "KOKKOS_"),
    "trilinos": ("Trilinos_", "Kokkos_", "TPL_"),
    "openmp": ("OpenMP", "OPENMP"),
    "qt5": ("Qt5", "QT_"),
    "qt6": ("Qt6", "QT_"),
}
"""Variables that a package sets under names that do not begin with its own, by their beginnings."""
PACKAGE_TARGETS = re.compile(r"\w[\w.+-]*::[\w.+-]+")
"""Names that only packages, and aliases, have."""
QUIET = tuple(
    "mark_as_advanced install export add_custom_command add_dependencies add_test "
    "enable_testing set_tests_properties source_group configure_package_config_file write_basic_package_version_file "
    "include_guard variable_watch define_property set_directory_properties add_link_options "
    "link_directories target_link_options target_link_directories target_precompile_headers include_regular_expression "
    "cmake_print_variables cmake_push_check_state cmake_pop_check_state cmake_reset_check_state feature_summary "
    "add_feature_info set_package_properties generate_export_header gtest_discover_tests gtest_add_tests include_ctest "
    "externalproject_add externalproject_add_step externalproject_get_property fetchcontent_declare "
    "find_package_message cpack_add_component cpack_add_component_group build_command create_test_sourcelist".split()
)
"""Commands that change neither variables nor what targets are compiled from."""
