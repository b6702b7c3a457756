#ifndef PLOT_NUMBER_H
#define PLOT_NUMBER_H

#include <stdint.h>

/*
 * What drawing needs of <math.h>: to load libm takes longer than the first request of
 * every run, drawn or not. Numbers are finite and their integral parts below 2^63.
 */

static inline double
number_least(double a, double b)
{
    return a < b ? a : b;
}

static inline double
number_most(double a, double b)
{
    return a > b ? a : b;
}

/* How far apart they are. */
static inline double
number_between(double a, double b)
{
    return a > b ? a - b : b - a;
}

static inline double
number_floor(double number)
{
    double whole = (double)(int64_t)number;
    return whole > number ? whole - 1 : whole;
}

static inline double
number_ceil(double number)
{
    return -number_floor(-number);
}

/*
 * The natural logarithm of a NUMBER above 0, to some 10^-12: ln 2 for each halving or
 * doubling until it is between the roots of 1/2 and of 2, and of the rest the series
 * 2 (t + t^3/3 + t^5/5 + ...) of t = (x - 1) / (x + 1), which is below 0.172 (Abramowitz
 * and Stegun, Handbook of Mathematical Functions, 4.1.27).
 */
static inline double
number_log(double number)
{
    double sum = 0, logarithm = 0;
    for (; number > 1.4142135623730951; number /= 2)
        logarithm += 0.69314718055994531;
    for (; number < 0.70710678118654752; number *= 2)
        logarithm -= 0.69314718055994531;
    double t = (number - 1) / (number + 1), power = t;
    for (int i = 1; i < 17; i += 2, power *= t * t)
        sum += power / i;
    return logarithm + 2 * sum;
}

#endif
