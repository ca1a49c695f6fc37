// Memory layout of a matrix.
#pragma once

#include <cstddef>
#include <vector>

#include "manychain/core/size.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// Row by row; but on a GPU a matrix whose number of columns is fixed lies in blocks of 32 rows, each of which holds 16
/// bytes of row 0, 16 bytes of row 1, and so on, then the next 16 bytes of row 0. Lanes of a warp that read a row each
/// then read consecutive memory, 16 bytes in one load, and so does a thread that reads a row alone. Rows and columns
/// are padded with zeros: five columns in single precision take the room of eight. Matrix::data() is refused there.
template <class T, int Columns>
struct MatrixLayout {
#if defined(__CUDACC__)
  static constexpr bool interleaved = Columns > 0;
#else
  static constexpr bool interleaved = false;
#endif
  static constexpr int rows_of_block = 32, run = 16 / static_cast<int>(sizeof(T));  ///< numbers that lie together
  static constexpr int padded_columns = (Columns + run - 1) / run * run;

  MANYCHAIN_HD static const T* row(const T* data, int row, int columns) {
    if constexpr (interleaved)
      return static_cast<const T*>(__builtin_assume_aligned(data + row_offset(row, columns), 16));
    else
      return data + row_offset(row, columns);
  }
  /// The offset of element `column` from the beginning of its row.
  MANYCHAIN_HD static constexpr int offset(int column) {
    if constexpr (interleaved)
      return column / run * (rows_of_block * run) + column % run;
    else
      return column;
  }
  /// Values that are given row by row, as they lie.
  static std::vector<double> arranged(const std::vector<double>& by_row, int rows) {
    if constexpr (!interleaved) {
      return by_row;
    } else {
      const int blocks = (rows + rows_of_block - 1) / rows_of_block;
      std::vector<double> values(static_cast<std::size_t>(blocks) * rows_of_block * padded_columns, 0.0);
      for (int j = 0; j < rows; ++j)
        for (int i = 0; i < Columns; ++i)
          values[static_cast<std::size_t>(row_offset(j, Columns) + offset(i))] =
              by_row[static_cast<std::size_t>(j) * Columns + static_cast<std::size_t>(i)];
      return values;
    }
  }

 private:
  MANYCHAIN_HD static constexpr std::ptrdiff_t row_offset(int row, int columns) {
    if constexpr (interleaved)
      return std::ptrdiff_t{row / rows_of_block} * (rows_of_block * padded_columns) + row % rows_of_block * run;
    else
      return std::ptrdiff_t{row} * columns;
  }
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
