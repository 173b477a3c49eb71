// SPDX-License-Identifier: Apache-2.0
//
// {fmt} compiled once: its headers hold what its library would, and this file asks for it, with the templates that the
// headers only declare. Where this does not compile, cmake/NvmlabDependencies.cmake takes {fmt} as it is packaged.
#include <fmt/format-inl.h>
#include <fmt/format.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template FMT_API auto dragonbox::to_decimal<float>(float) noexcept -> dragonbox::decimal_fp<float>;
template FMT_API auto dragonbox::to_decimal<double>(double) noexcept -> dragonbox::decimal_fp<double>;
template FMT_API auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl<char>(locale_ref) -> char;

}  // namespace detail
FMT_END_NAMESPACE
