// hipRAND's and rocRAND's host interfaces: the same functions under two names.
#include "rand.h"
#include <math.h>

enum { OK = 0, NOT_CREATED = 101, TYPE_ERROR = 103, OUT_OF_RANGE = 104, NOT_MULTIPLE = 105, NOT_IMPLEMENTED = 1000, INTERNAL = 108 };
static const uint64_t MARK = 0x646e617277657261;
typedef struct Generator {
    uint64_t mark, position;
    Stream stream;
    uint32_t dimensions;
    void *hip_stream;
} Generator;

static int is_generator(const Generator *g) { return g && g->mark == MARK; }
static int is_quasi(const Generator *g) { return g->stream.family >= SOBOL32; }

static int family_of(int type, int rocrand, Family *family) {
    static const Family hip[] = {XORWOW, XORWOW, MRG32K3A, MT19937, MT19937, PHILOX};
    if (type >= 400 && type <= 405 && !rocrand) *family = hip[type - 400];
    else if (rocrand && (type == 400 || type == 401)) *family = XORWOW;
    else if (rocrand && type == 402) *family = MRG32K3A;
    else if (rocrand && (type == 403 || type == 407)) *family = MT19937;
    else if (rocrand && type == 404) *family = PHILOX;
    else if (type == 500 || type == 501) *family = SOBOL32;
    else if (type == (rocrand ? 504 : 503)) *family = SOBOL64;
    else return TYPE_ERROR;
    return OK;
}

static int create(Generator **made, int type, int rocrand) {
    Family family;
    if (!made) return NOT_CREATED;
    int status = family_of(type, rocrand, &family);
    if (status != OK) return status;
    *made = room(sizeof **made);
    memset(*made, 0, sizeof **made);
    (*made)->mark = MARK, (*made)->stream.family = family, (*made)->dimensions = 1;
    return OK;
}

static int destroy(Generator *g) {
    if (!is_generator(g)) return NOT_CREATED;
    g->mark = 0;
    free(g);
    return OK;
}

static int set_seed(Generator *g, uint64_t seed) {
    if (!is_generator(g)) return NOT_CREATED;
    if (is_quasi(g)) return TYPE_ERROR;
    g->stream.seed = seed, g->stream.begun = 0;
    return OK;
}
static int set_offset(Generator *g, uint64_t offset) {
    if (!is_generator(g)) return NOT_CREATED;
    g->stream.offset = g->position = offset, g->stream.begun = 0;
    return OK;
}
static int set_dimensions(Generator *g, uint32_t dimensions) {
    if (!is_generator(g)) return NOT_CREATED;
    if (!is_quasi(g)) return TYPE_ERROR;
    if (dimensions < 1 || dimensions > MOST_DIMENSIONS) return OUT_OF_RANGE;
    g->dimensions = dimensions;
    return OK;
}
static int set_stream(Generator *g, void *stream) {
    if (!is_generator(g)) return NOT_CREATED;
    g->hip_stream = stream;
    return OK;
}

// --- what is made of numbers -----------------------------------------------------------------

typedef enum { UINT32, UINT16, UINT8, UINT64, UNIFORM, UNIFORM_DOUBLE, UNIFORM_HALF, NORMAL, NORMAL_DOUBLE, NORMAL_HALF,
               LOG_NORMAL, LOG_NORMAL_DOUBLE, LOG_NORMAL_HALF, POISSON } Wanted;

static uint64_t next64(Stream *s) {
    uint64_t low = next32(s);
    return low | (uint64_t)next32(s) << 32;
}
static double open_unit(uint64_t x) { return ((double)(x >> 11) + 0.5) * 0x1p-53; }

// Acklam's inverse of the normal distribution, made exact by a step of Halley's.
static double normal_of(double p) {
    static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02, -2.759285104469687e+02, 1.383577518672690e+02, -3.066479806614716e+01, 2.506628277459239e+00};
    static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02, 6.680131188771972e+01, -1.328068155288572e+01};
    static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00, -2.549732539343734e+00, 4.374664141464968e+00, 2.938163982698783e+00};
    static const double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00};
    double x, q = p < 0.5 ? p : 1 - p;
    if (q < 0.02425) {
        double r = sqrt(-2 * log(q));
        x = (((((c[0] * r + c[1]) * r + c[2]) * r + c[3]) * r + c[4]) * r + c[5]) / ((((d[0] * r + d[1]) * r + d[2]) * r + d[3]) * r + 1);
    } else {
        double r = q - 0.5, s = r * r;
        x = (((((a[0] * s + a[1]) * s + a[2]) * s + a[3]) * s + a[4]) * s + a[5]) * r / (((((b[0] * s + b[1]) * s + b[2]) * s + b[3]) * s + b[4]) * s + 1);
    }
    double wrong = 0.5 * erfc(-x / M_SQRT2) - q, step = wrong * sqrt(2 * M_PI) * exp(x * x / 2);
    x -= step / (1 + x * step / 2);
    return p < 0.5 ? x : -x;
}

// How many events, by adding up what each number of them is worth; from the middle where there are many.
static uint32_t poisson_of(double u, double lambda) {
    if (lambda > 700) {
        double k = floor(lambda + sqrt(lambda) * normal_of(u) + (pow(normal_of(u), 2) - 1) / 6 + 0.5);
        return k < 0 ? 0 : (uint32_t)k;
    }
    double part = exp(-lambda), sum = part;
    uint32_t k = 0;
    while (u > sum && k < 10000) part *= lambda / ++k, sum += part;
    return k;
}

static uint16_t half_of(double value) {
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    if (size >= 65520) return sign | 0x7c00;
    int exponent = size < 0x1p-14 ? -14 : ilogb(size), units = (int)nearbyint(ldexp(size, 10 - exponent));
    return sign | (uint16_t)(size < 0x1p-14 ? units : ((exponent + 15) << 10) + units - 1024);
}

// `unit` lies in (0, 1); for integers the bits themselves count.
static void put(void *out, size_t i, Wanted wanted, uint64_t bits, double unit, double normal, double mean, double deviation) {
    double gauss = mean + deviation * normal;
    switch (wanted) {
    case UINT32: ((uint32_t *)out)[i] = (uint32_t)bits; break;
    case UINT16: ((uint16_t *)out)[i] = (uint16_t)bits; break;
    case UINT8: ((uint8_t *)out)[i] = (uint8_t)bits; break;
    case UINT64: ((uint64_t *)out)[i] = bits; break;
    case UNIFORM: ((float *)out)[i] = fminf((float)unit + 0x1p-33f, 1); break;
    case UNIFORM_DOUBLE: ((double *)out)[i] = unit; break;
    case UNIFORM_HALF: ((uint16_t *)out)[i] = half_of(unit < 0x1p-11 ? 0x1p-11 : unit); break;
    case NORMAL: ((float *)out)[i] = (float)gauss; break;
    case NORMAL_DOUBLE: ((double *)out)[i] = gauss; break;
    case NORMAL_HALF: ((uint16_t *)out)[i] = half_of(gauss); break;
    case LOG_NORMAL: ((float *)out)[i] = (float)exp(gauss); break;
    case LOG_NORMAL_DOUBLE: ((double *)out)[i] = exp(gauss); break;
    case LOG_NORMAL_HALF: ((uint16_t *)out)[i] = half_of(exp(gauss)); break;
    case POISSON: ((uint32_t *)out)[i] = poisson_of(unit, mean); break;
    }
}

static int generate(Generator *g, void *out, size_t n, Wanted wanted, double mean, double deviation) {
    if (!is_generator(g)) return NOT_CREATED;
    if (n && !out) return OUT_OF_RANGE;
    if (wanted == POISSON && !(mean > 0)) return OUT_OF_RANGE;
    if (is_capturing(g->hip_stream)) return INTERNAL;
    int is_normal = wanted >= NORMAL && wanted < POISSON;
    if (!is_quasi(g)) {
        int wide = wanted == UINT64 || wanted == UNIFORM_DOUBLE || wanted == NORMAL_DOUBLE || wanted == LOG_NORMAL_DOUBLE || wanted == POISSON;
        if (wanted == UINT64 && g->stream.family == MT19937) return TYPE_ERROR;
        for (size_t i = 0; i < n; ++i) {
            uint64_t bits = wide ? next64(&g->stream) : next32(&g->stream);
            double unit = wide ? open_unit(bits) : ((double)(uint32_t)bits + 0.5) * 0x1p-32;
            put(out, i, wanted, bits, unit, is_normal ? normal_of(unit) : 0, mean, deviation);
        }
        return OK;
    }
    if (n % g->dimensions) return NOT_MULTIPLE;
    int bits = g->stream.family == SOBOL64 ? 64 : 32;
    if (wanted == UINT64 && bits == 32) return TYPE_ERROR;
    size_t each = n / g->dimensions;
    for (uint32_t d = 0; d < g->dimensions; ++d)  // one dimension behind the other
        for (size_t i = 0; i < each; ++i) {
            uint64_t x = sobol((int)d, g->position + i, bits);
            double unit = bits == 64 ? open_unit(x) : ((double)x + 0.5) * 0x1p-32;
            put(out, d * each + i, wanted, x, unit, is_normal ? normal_of(unit) : 0, mean, deviation);
        }
    g->position += each;
    return OK;
}

// --- the two interfaces ----------------------------------------------------------------------

static double half_value(uint16_t h) {
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double size = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return h >> 15 ? -size : size;
}

#define NUMBERS(library, name, type, wanted) \
    API int name(Generator *g, type *out, size_t n) { COUNT(library, #name); return generate(g, out, n, wanted, 0, 1); }
#define SPREAD(library, name, type, value, wanted, convert) \
    API int name(Generator *g, type *out, size_t n, value mean, value deviation) { \
        COUNT(library, #name); \
        return generate(g, out, n, wanted, convert(mean), convert(deviation)); \
    }
#define SET(library, name, type, set) \
    API int name(Generator *g, type value) { COUNT(library, #name); return set(g, value); }
#define MISSING(library, name) API int name(void) { not_made(library, #name); }

#define BOTH(L, r, create_, host_, destroy_, generate_, char_, short_, long_, uniform, uniform_d, uniform_h, normal, normal_d, normal_h, \
             log_, log_d, log_h, poisson, stream_, seed_, offset_, dimensions_) \
    API int create_(Generator **g, int type) { COUNT(L, #create_); return create(g, type, r); } \
    API int host_(Generator **g, int type) { COUNT(L, #host_); return create(g, type, r); } \
    API int destroy_(Generator *g) { COUNT(L, #destroy_); return destroy(g); } \
    NUMBERS(L, generate_, uint32_t, UINT32) NUMBERS(L, char_, uint8_t, UINT8) NUMBERS(L, short_, uint16_t, UINT16) \
    NUMBERS(L, long_, uint64_t, UINT64) NUMBERS(L, uniform, float, UNIFORM) NUMBERS(L, uniform_d, double, UNIFORM_DOUBLE) \
    NUMBERS(L, uniform_h, uint16_t, UNIFORM_HALF) \
    SPREAD(L, normal, float, float, NORMAL, ) SPREAD(L, normal_d, double, double, NORMAL_DOUBLE, ) \
    SPREAD(L, normal_h, uint16_t, uint16_t, NORMAL_HALF, half_value) \
    SPREAD(L, log_, float, float, LOG_NORMAL, ) SPREAD(L, log_d, double, double, LOG_NORMAL_DOUBLE, ) \
    SPREAD(L, log_h, uint16_t, uint16_t, LOG_NORMAL_HALF, half_value) \
    API int poisson(Generator *g, uint32_t *out, size_t n, double lambda) { COUNT(L, #poisson); return generate(g, out, n, POISSON, lambda, 1); } \
    SET(L, stream_, void *, set_stream) SET(L, seed_, unsigned long long, set_seed) SET(L, offset_, unsigned long long, set_offset) \
    SET(L, dimensions_, uint32_t, set_dimensions)

BOTH("hipRAND", 0, hiprandCreateGenerator, hiprandCreateGeneratorHost, hiprandDestroyGenerator, hiprandGenerate, hiprandGenerateChar,
     hiprandGenerateShort, hiprandGenerateLongLong, hiprandGenerateUniform, hiprandGenerateUniformDouble, hiprandGenerateUniformHalf,
     hiprandGenerateNormal, hiprandGenerateNormalDouble, hiprandGenerateNormalHalf, hiprandGenerateLogNormal,
     hiprandGenerateLogNormalDouble, hiprandGenerateLogNormalHalf, hiprandGeneratePoisson, hiprandSetStream,
     hiprandSetPseudoRandomGeneratorSeed, hiprandSetGeneratorOffset, hiprandSetQuasiRandomGeneratorDimensions)
BOTH("rocRAND", 1, rocrand_create_generator, rocrand_create_generator_host, rocrand_destroy_generator, rocrand_generate,
     rocrand_generate_char, rocrand_generate_short, rocrand_generate_long_long, rocrand_generate_uniform, rocrand_generate_uniform_double,
     rocrand_generate_uniform_half, rocrand_generate_normal, rocrand_generate_normal_double, rocrand_generate_normal_half,
     rocrand_generate_log_normal, rocrand_generate_log_normal_double, rocrand_generate_log_normal_half, rocrand_generate_poisson,
     rocrand_set_stream, rocrand_set_seed, rocrand_set_offset, rocrand_set_quasi_random_generator_dimensions)

API int rocrand_create_generator_host_blocking(Generator **g, int type) { COUNT("rocRAND", "rocrand_create_generator_host_blocking"); return create(g, type, 1); }
API int rocrand_initialize_generator(Generator *g) { return is_generator(g) ? OK : NOT_CREATED; }
API int hiprandGenerateSeeds(Generator *g) { return is_generator(g) ? OK : NOT_CREATED; }
API int hiprandSetGeneratorOrdering(Generator *g, int order) { return is_generator(g) ? OK : NOT_CREATED; }
API int rocrand_set_ordering(Generator *g, int order) { return is_generator(g) ? OK : NOT_CREATED; }
static int version(int *found) {
    if (!found) return OUT_OF_RANGE;
    *found = 300300;
    return OK;
}
API int hiprandGetVersion(int *found) { return version(found); }
API int rocrand_get_version(int *found) { return version(found); }

MISSING("hipRAND", hiprandCreatePoissonDistribution) MISSING("hipRAND", hiprandDestroyDistribution)
MISSING("hipRAND", hiprandGetDirectionVectors32) MISSING("hipRAND", hiprandGetDirectionVectors64)
MISSING("hipRAND", hiprandGetScrambleConstants32) MISSING("hipRAND", hiprandGetScrambleConstants64)
MISSING("rocRAND", rocrand_create_poisson_distribution) MISSING("rocRAND", rocrand_create_discrete_distribution)
MISSING("rocRAND", rocrand_destroy_discrete_distribution) MISSING("rocRAND", rocrand_get_direction_vectors32)
MISSING("rocRAND", rocrand_get_direction_vectors64) MISSING("rocRAND", rocrand_get_scramble_constants32)
MISSING("rocRAND", rocrand_get_scramble_constants64) MISSING("rocRAND", rocrand_set_seed_uint4)
