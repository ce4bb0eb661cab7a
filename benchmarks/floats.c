/* What exact answers are timed against: the same numbers in doubles, written to be fast. No bound on any error.
 *
 * L(alpha) is the log of the least r such that E * sum_j max(0, q_j - r d_j) <= r - 1 for all rows q, d; E = e^alpha - 1.
 * A pair of rows that fails gives its set of columns, the set a greater r, and pairs that hold are passed by.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double stick(const double *q, const double *d, int n, double r) {
    double sum = 0;
    for (int j = 0; j < n; j++) {
        double x = q[j] - r * d[j];
        sum += x > 0 ? x : 0;
    }
    return sum;
}

/* e^L for an excess; set: the sums q, d that ruled before, where to begin, and those that rule; most: of each pair
 * the sum at a smaller r, or 0: where that is small enough the pair is passed by. */
double loss(const double *p, int n, double excess, double *set, double *most) {
    double r = (set[0] * excess + 1) / (set[1] * excess + 1);
    for (int again = 1; again;) {
        again = 0;
        for (int k = 0; k < n; k++)
            for (int i = 0; i < n; i++) {
                if (most && most[k * n + i] * excess <= r - 1) continue;
                const double *q = p + (size_t)i * n, *d = p + (size_t)k * n;
                double sum;
                while (i != k && (sum = stick(q, d, n, r)) * excess > (r - 1) * (1 + 1e-15)) {
                    double qs = 0, ds = 0;
                    for (int j = 0; j < n; j++)
                        if (q[j] > r * d[j]) qs += q[j], ds += d[j];
                    double better = (qs * excess + 1) / (ds * excess + 1);
                    if (better <= r) break;
                    r = better, set[0] = qs, set[1] = ds, again = 1;
                }
                if (most && i != k) most[k * n + i] = sum;
            }
    }
    return r;
}

enum { SAMPLED = 4, BLOCK = 32, LANES = 16 };

/* The sums of max(q, x) of four rows q in singles; width a multiple of LANES. */
static inline void four(const float *q, const float *x, int width, float *sums) {
    const float *q1 = q + width, *q2 = q1 + width, *q3 = q2 + width;
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (int j = 0; j < width; j++) {
        s0 += q[j] > x[j] ? q[j] : x[j];
        s1 += q1[j] > x[j] ? q1[j] : x[j];
        s2 += q2[j] > x[j] ? q2[j] : x[j];
        s3 += q3[j] > x[j] ? q3[j] : x[j];
    }
    sums[0] = s0, sums[1] = s1, sums[2] = s2, sums[3] = s3;
}

/* r raised as far as a pair of rows does. */
static double raised(const double *q, const double *d, int n, double excess, double r) {
    for (;;) {
        double qs = 0, ds = 0;
        for (int j = 0; j < n; j++)
            if (q[j] > r * d[j]) qs += q[j], ds += d[j];
        double better = (qs * excess + 1) / (ds * excess + 1);
        if (better <= r * (1 + 1e-15)) return r;
        r = better;
    }
}

/* Compare the rows q from first to last with the row d of a number: r raised by the pairs that singles do not exclude. */
static double beside(const double *p, const float *singles, float *x, int n, int width, int d, int first, int last,
                     double excess, double r) {
    float total = 0, sums[4];
    for (int j = 0; j < width; j++) x[j] = (float)r * singles[(size_t)d * width + j], total += x[j];
    for (int i = first; i < last; i += 4) {
        four(singles + (size_t)i * width, x, width, sums);
        for (int a = 0; a < 4; a++)
            if ((sums[a] - total) * excess > (r - 1) - 1e-6 * r * excess && i + a < n && i + a != d)
                r = raised(p + (size_t)(i + a) * n, p + (size_t)d * n, n, excess, r);
    }
    return r;
}

/* e^L as `loss` has it, in one pass: a few rows d first, which raise r, and then all, some rows q at once. */
double loss_in_singles(const double *p, int n, double excess) {
    int width = (n + LANES - 1) / LANES * LANES, height = (n + 3) / 4 * 4;
    float *singles = aligned_alloc(64, sizeof *singles * (height + 1) * width), *x = singles + (size_t)height * width;
    memset(singles, 0, sizeof *singles * (height + 1) * width);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) singles[(size_t)i * width + j] = p[(size_t)i * n + j];
    double r = 1;
    for (int k = 0; k < SAMPLED; k++) r = beside(p, singles, x, n, width, k * n / SAMPLED, 0, height, excess, r);
    for (int first = 0; first < height; first += BLOCK)
        for (int d = 0; d < n; d++)
            r = beside(p, singles, x, n, width, d, first, first + BLOCK < height ? first + BLOCK : height, excess, r);
    free(singles);
    return r;
}

/* BPL at each of so many releases of one budget. */
void course(const double *p, int n, double epsilon, int steps, double *levels) {
    double set[2] = {0, 0}, *most = malloc(n * n * sizeof *most);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++) most[k * n + i] = stick(p + (size_t)i * n, p + (size_t)k * n, n, 1);
    levels[0] = epsilon;
    for (int t = 1; t < steps; t++) levels[t] = epsilon + log(loss(p, n, expm1(levels[t - 1]), set, most));
    free(most);
}

/* The same of many matrices, shape (count, n, n); kept is the last level of each. */
void courses(const double *p, int count, int n, double epsilon, int steps, double *kept) {
    double *levels = malloc(steps * sizeof *levels);
    for (int u = 0; u < count; u++) {
        course(p + (size_t)u * n * n, n, epsilon, steps, levels);
        kept[u] = levels[steps - 1];
    }
    free(levels);
}

/* c moved on by one step of the chain. */
static void moved(const double *p, int n, double *c, double *next) {
    memset(next, 0, n * sizeof *next);
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) next[b] += c[a] * p[(size_t)a * n + b];
    memcpy(c, next, n * sizeof *c);
}

/* The sum of c = u - r v after so many releases, 0 once no column is in its favour; v with it where it is given. */
static double after(const double *p, int n, double ratio, int releases, double *c, double *v, double *next) {
    for (int t = 0; t < releases; t++) {
        int some = 0;
        double sum = 0;
        for (int a = 0; a < n; a++) {
            double weight = c[a] > 0 ? ratio : 1;
            some |= c[a] > 0, c[a] *= weight, sum += c[a];
            if (v) v[a] *= weight;
        }
        if (!some) return 0;
        if (t + 1 == releases) return sum;
        moved(p, n, c, next);
        if (v) moved(p, n, v, next);
    }
    return 0;
}

/* e^(BPL - epsilon) of the worst mechanism after so many releases before, e^epsilon = ratio at each. */
double tight(const double *p, int n, double ratio, int releases) {
    double r = 1, *c = malloc(3 * n * sizeof *c), *v = c + n, *next = v + n;
    for (int again = 1; again;) {
        again = 0;
        for (int k = 0; k < n; k++)
            for (int i = 0; i < n; i++) {
                const double *q = p + (size_t)i * n, *d = p + (size_t)k * n;
                for (int with = 0; with < 2; with++) {
                    for (int j = 0; j < n; j++) c[j] = q[j] - r * d[j], v[j] = d[j];
                    double sum = after(p, n, ratio, releases, c, with ? v : 0, next), low = 0;
                    if (i == k || sum <= 0) break;
                    for (int j = 0; with && j < n; j++) low += v[j];
                    if (with && sum > 1e-14 * low) r += sum / low, again = 1;
                }
            }
    }
    free(c);
    return r;
}
