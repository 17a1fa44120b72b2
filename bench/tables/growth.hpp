// Growth: a function of n held against c n^a lg^p n, lower-order terms and all.
#pragma once

#include <span>
#include <string>

namespace tallcache {

/// n^exponent lg^power n
struct Growth {
  double exponent = 0, power = 0;
};

/// "n^2.81", "n lg n", "lg^2 n"
std::string to_string(const Growth&);

/// The exponent and the power with which y grows in n, of those that `form` has; what it has not stays 0. Of
/// both, each is fitted with the other one as in `form`. Least squares in the logarithms, of c (n + s)^a
/// without a logarithm, and for the power of c n^a (lg n + s)^p: the shift s takes up the next lower term,
/// n^(a-1) or lg^(p-1) n, which at sizes that can be counted is a third of the whole. Throws Error on fewer
/// than four points and on values that are not positive.
Growth fit_growth(std::span<const double> n, std::span<const double> y, const Growth& form);

}  // namespace tallcache
