// The names of the dimensions of quantities in files of draws, and their labels. They are data (Data::dims(),
// Data::coords()), looked at when a model is bound and used by the file alone. Before a file is written variables_of()
// says which variables its groups have.
#pragma once

#include <string>
#include <vector>

#include "manychain/model/data/data.hpp"
#include "manychain/model/data/layout.hpp"

namespace manychain {

/// The groups of a file of draws in which dimensions have names.
enum class FileGroup { posterior, posterior_predictive, log_likelihood, observed_data, constant_data };

/// A variable of such a group; of those with draws, without the dimensions chain and draw.
struct FileVariable {
  std::string name;  ///< as declared
  std::vector<std::size_t> shape;
};

/// The variables of a group, as far as model and data say. `data` may be null. Left out are data with a name that no
/// file can hold, and from constant data those of more than largest_constant numbers.
std::vector<FileVariable> variables_of(FileGroup group, const Layout& layout, const Data* data);
inline constexpr std::size_t largest_constant = std::size_t{1} << 20;

/// True if a NetCDF file can hold a variable or a dimension of that name, once it is as stored_name() makes it.
bool can_be_stored(const std::string& name);
/// Throws BadInput if a quantity has a name that no file of draws can hold.
void require_storable(const Layout& layout);

/// True if an observe() has that name.
bool is_observed(const Layout& layout, const std::string& name);

/// Names of the dimensions of a variable: those of Data::dims(), if there are as many; else "theta_dim_0" and so on.
std::vector<std::string> dimensions_of(const FileVariable& variable, const Data* data);

/// Throws BadInput where Data::dims() and Data::coords() do not fit the model and its data: a name that nothing has,
/// more or fewer dimensions, an extent that is not the number of labels, a dimension of two sizes or with the name of a
/// variable beside it.
void require_named_dimensions(const Layout& layout, const Data& data);

}  // namespace manychain
