/* The arithmetic of drawing without libm, compared with libm. */
#include "support.h"

#include "plot/axis.h"

#include <math.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static void
a_logarithm_is_that_of_libm(void **state)
{
    static const double numbers[] = {1,    2,      0.5, 10,   1e-9,  4.4e12, 1.414213562,
                                     0.71, 1.0001, 3,   1e18, 60000, 5e-10};
    (void)state;
    for (size_t i = 0; i < LENGTH(numbers); i++)
        if (fabs(number_log(numbers[i]) - log(numbers[i])) > 1e-11)
            fail_msg("log %g: %.15f", numbers[i], number_log(numbers[i]));
}

static void
whole_numbers_are_those_beside_it(void **state)
{
    static const struct {
        double number, floor, ceil;
    } cases[] = {
        {0, 0, 0},       {1, 1, 1},      {1.5, 1, 2},     {-1.5, -2, -1},
        {-1, -1, -1},    {0.999, 0, 1},  {-0.001, -1, 0}, {1e15, 1e15, 1e15},
        {4e6, 4e6, 4e6}, {7.0001, 7, 8},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        assert_true(number_floor(cases[i].number) == cases[i].floor);
        assert_true(number_ceil(cases[i].number) == cases[i].ceil);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_logarithm_is_that_of_libm),
        cmocka_unit_test(whole_numbers_are_those_beside_it),
    };
    return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}
