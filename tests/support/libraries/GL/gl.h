// Stands for OpenGL's header where it is not installed: what HIP's interop and the cases use.
#pragma once
typedef unsigned int GLenum;
typedef unsigned int GLuint;
