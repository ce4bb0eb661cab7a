/* Privacy loss and leakage on the contract's wire, in C with its library alone: a starter.

       cc -O2 -o leakage leakage.c -lm && tploracle conform --lenient -- ./leakage

   It is sent valid questions only (--lenient), doubles in hexadecimal, which strtod reads and %a writes. The mathematics is
   that of docs/implementers.md: search as you like, then prove, with every rounding upwards. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The mathematics */

#define U 0x1p-53

typedef struct { int n; double *rows; } Matrix;

static double up(double x, double units) { return x > 0 ? nextafter(x * (1 + (units + 2) * U), INFINITY) : 0; }

/* L where e^alpha overflows: e^L is at most the greatest q/d, or q e^alpha where d is 0. */
static double beyond(Matrix m, double alpha) {
  double ratio = 0, alone = 0;
  for (double *d = m.rows; d < m.rows + m.n * m.n; d += m.n)
    for (double *q = m.rows; q < m.rows + m.n * m.n; q += m.n) {
      double mass = 0;
      for (int j = 0; j < m.n; j++)
        if (d[j] == 0) mass += q[j];
        else ratio = fmax(ratio, (q[j] - d[j]) / d[j]);
      alone = fmax(alone, mass);
    }
  double reach = alone > 0 ? up(alpha + log(fmin(1, up(alone, m.n))), 16) : 0;
  return fmax(reach, up(log1p(ratio * (1 + 8 * U)), 8));
}

static double loss(Matrix m, double alpha) {
  if (alpha > 700) return fmin(alpha, beyond(m, alpha));
  double tiny = 0x1p-60, excess = expm1(alpha) * (1 + 10 * U), mu = 0;
  for (int attempt = 0; attempt < 100; attempt++) {
    double height = 0, gap = 0, mass = 0;
    for (double *d = m.rows; d < m.rows + m.n * m.n; d += m.n)
      for (double *q = m.rows; q < m.rows + m.n * m.n; q += m.n) {
        double sum = 0, gaps = 0, chosen = 0;
        for (int j = 0; j < m.n; j++) {
          double term = (q[j] - d[j]) * (1 + 4 * U) - d[j] * (mu * (1 - 8 * U));
          if (q[j] > d[j] && term > 0) sum += term, gaps += (q[j] - d[j]) * (1 + 4 * U), chosen += d[j];
        }
        if (sum > height) height = sum, gap = gaps, mass = chosen;
      }
    if (alpha <= tiny) return fmin(alpha, height > 0 ? nextafter(up(height, m.n) * alpha, INFINITY) : 0);
    if (up(height * excess, m.n + 8) <= mu) return fmin(alpha, up(log1p(mu), 8));
    mu = gap / (mass + 1 / excess) * (1 + (m.n + 40 + 2 * attempt) * U);
  }
  return alpha;
}

static double step(Matrix m, double epsilon, double before) { return m.n ? up(epsilon + loss(m, before), 0) : epsilon; }

/* The wire */

static const char *after(const char *line, const char *key) {
  char quoted[40];
  snprintf(quoted, sizeof quoted, "\"%s\":", key);
  const char *found = strstr(line, quoted);
  return found ? found + strlen(quoted) : NULL;
}

/* Reads the numbers from here to the end of the array, nested ones too, or one number. Returns how many. */
static int numbers(const char *at, double *found) {
  int count = 0, depth = 0;
  do {
    at += strspn(at, ", ");
    if (*at == '"') found[count++] = strtod(at + 1, (char **)&at), at++;
    else depth += *at == '[' ? 1 : -1, at++;
  } while (depth > 0);
  return count;
}

static double level(const char *at) { return strtod(strchr(at, '"') + 1, NULL); }

static Matrix matrix(const char *line, const char *key) {
  static double buffers[2][1000 * 1000];
  const char *at = after(line, key);
  Matrix found = {0, buffers[key[0] == 'f']};
  if (at) found.n = (int)round(sqrt(numbers(at, found.rows)));
  return found;
}

static void print(const char *before, const double *levels, int count) {
  for (int t = 0; t < count; t++) printf("%s\"%a\"", t ? ", " : before, levels[t]);
}

static void leakage(const char *line) {
  static double epsilons[10000], bpl[10000], fpl[10000], tpl[10000];
  int count = numbers(after(line, "epsilons"), epsilons), last = count - 1;
  Matrix backward = matrix(line, "backward"), forward = matrix(line, "forward");
  for (int t = 0; t <= last; t++) bpl[t] = t ? step(backward, epsilons[t], bpl[t - 1]) : epsilons[t];
  for (int t = last; t >= 0; t--) fpl[t] = t < last ? step(forward, epsilons[t], fpl[t + 1]) : epsilons[t];
  for (int t = 0; t <= last; t++) tpl[t] = t < last ? step(forward, bpl[t], fpl[t + 1]) : bpl[t];
  print("{\"bpl\": [", bpl, count), print("], \"fpl\": [", fpl, count), print("], \"tpl\": [", tpl, count), puts("]}}");
}

int main(void) {
  char *line = NULL, op[20];
  size_t size = 0;
  while (getline(&line, &size, stdin) > 0 && sscanf(after(line, "op"), " \"%19[a-z]", op) && strcmp(op, "stop")) {
    if (strcmp(op, "start") == 0) {
      puts("{\"name\": \"leakage.c\", \"version\": \"1\", \"operations\": [\"loss\", \"leakage\"],"
           " \"numbers\": [\"float64\"], \"domain\": {\"level\": \"700\", \"releases\": 100}}");
    } else {
      printf("{\"seq\": %ld, \"value\": ", atol(after(line, "seq")));
      if (strcmp(op, "leakage") == 0) leakage(line);
      else printf("\"%a\"}\n", loss(matrix(line, "matrix"), level(after(line, "alpha"))));
    }
    fflush(stdout); /* a pipe is buffered: without this nothing arrives */
  }
}
