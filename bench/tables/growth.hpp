// Growth: a function of n compared with c n^a lg^p n, including lower-order terms.
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

/// The exponent and the power with which y grows in n. Only those that `form` has are fitted; the others stay
/// 0. With both, each is fitted with the other as in `form`. The fit is least squares in the logarithms, of c
/// (n + s)^a without a logarithm, else of c n^a (lg n + s)^p. The shift s stands for the next lower term,
/// n^(a-1) or lg^(p-1) n, which is a third of the whole at sizes that can be counted. Throws Error on fewer
/// than four points and on values that are not positive.
Growth fit_growth(std::span<const double> n, std::span<const double> y, const Growth& form);

}  // namespace tallcache
