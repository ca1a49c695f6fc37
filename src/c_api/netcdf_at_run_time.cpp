// netCDF for a shared library that is not linked with it, the one of a wheel: its functions, each of which calls the
// library that is loaded when the first is called. It is loaded for these calls alone: its symbols, and those of its
// HDF5, are no other library's, so that packages that bring another HDF5 may be in the process.
#include <dlfcn.h>
#include <netcdf.h>
#include <netcdf_filter.h>

#include <mutex>
#include <string>

#include "manychain/shared_library.h"

namespace {

constexpr int absent = -7777;  // a number that netCDF does not use

std::mutex naming;
std::string& file() {
  static std::string name = "libnetcdf.so.19";
  return name;
}

void* library() {
  static void* const handle = [] {
    const std::lock_guard lock(naming);
    return ::dlopen(file().c_str(), RTLD_NOW | RTLD_LOCAL);
  }();
  return handle;
}

/// The function of that name, or null.
template <class Function>
Function found(const char* name) {
  return library() ? reinterpret_cast<Function>(::dlsym(library(), name)) : nullptr;
}

}  // namespace

extern "C" void manychain_set_netcdf(const char* path) {
  const std::lock_guard lock(naming);
  file() = path;
}

extern "C" const char* nc_strerror(int status) {
  if (status == absent) return "netCDF is not installed: pip install netCDF4";
  static const auto function = found<decltype(&nc_strerror)>("nc_strerror");
  return function ? function(status) : "unknown error of netCDF";
}

#define FORWARD(name, parameters, arguments)                    \
  extern "C" int name parameters {                              \
    static const auto function = found<decltype(&name)>(#name); \
    return function ? function arguments : absent;              \
  }

FORWARD(nc_close, (int ncid), (ncid))
FORWARD(nc_create, (const char* path, int cmode, int* ncidp), (path, cmode, ncidp))
FORWARD(nc_def_dim, (int ncid, const char* name, size_t len, int* idp), (ncid, name, len, idp))
FORWARD(nc_def_grp, (int parent_ncid, const char* name, int* new_ncid), (parent_ncid, name, new_ncid))
FORWARD(nc_def_var, (int ncid, const char* name, nc_type xtype, int ndims, const int* dimidsp, int* varidp),
        (ncid, name, xtype, ndims, dimidsp, varidp))
FORWARD(nc_def_var_chunking, (int ncid, int varid, int storage, const size_t* chunksizesp),
        (ncid, varid, storage, chunksizesp))
FORWARD(nc_def_var_deflate, (int ncid, int varid, int shuffle, int deflate, int deflate_level),
        (ncid, varid, shuffle, deflate, deflate_level))
FORWARD(nc_def_var_fill, (int ncid, int varid, int no_fill, const void* fill_value), (ncid, varid, no_fill, fill_value))
FORWARD(nc_free_string, (size_t len, char** data), (len, data))
FORWARD(nc_get_att_double, (int ncid, int varid, const char* name, double* ip), (ncid, varid, name, ip))
FORWARD(nc_get_att_longlong, (int ncid, int varid, const char* name, long long* ip), (ncid, varid, name, ip))
FORWARD(nc_get_att_string, (int ncid, int varid, const char* name, char** ip), (ncid, varid, name, ip))
FORWARD(nc_get_att_text, (int ncid, int varid, const char* name, char* ip), (ncid, varid, name, ip))
FORWARD(nc_get_att_ulonglong, (int ncid, int varid, const char* name, unsigned long long* ip), (ncid, varid, name, ip))
FORWARD(nc_get_var_double, (int ncid, int varid, double* ip), (ncid, varid, ip))
FORWARD(nc_get_vara_double, (int ncid, int varid, const size_t* startp, const size_t* countp, double* ip),
        (ncid, varid, startp, countp, ip))
FORWARD(nc_inq_att, (int ncid, int varid, const char* name, nc_type* xtypep, size_t* lenp),
        (ncid, varid, name, xtypep, lenp))
FORWARD(nc_inq_attname, (int ncid, int varid, int attnum, char* name), (ncid, varid, attnum, name))
FORWARD(nc_inq_dimlen, (int ncid, int dimid, size_t* lenp), (ncid, dimid, lenp))
FORWARD(nc_inq_dimname, (int ncid, int dimid, char* name), (ncid, dimid, name))
FORWARD(nc_inq_grp_ncid, (int ncid, const char* grp_name, int* grp_ncid), (ncid, grp_name, grp_ncid))
FORWARD(nc_inq_natts, (int ncid, int* nattsp), (ncid, nattsp))
FORWARD(nc_inq_nvars, (int ncid, int* nvarsp), (ncid, nvarsp))
FORWARD(nc_inq_type, (int ncid, nc_type xtype, char* name, size_t* size), (ncid, xtype, name, size))
FORWARD(nc_inq_var_chunking, (int ncid, int varid, int* storagep, size_t* chunksizesp),
        (ncid, varid, storagep, chunksizesp))
FORWARD(nc_inq_var_filter_ids, (int ncid, int varid, size_t* nfilters, unsigned int* filterids),
        (ncid, varid, nfilters, filterids))
FORWARD(nc_inq_vardimid, (int ncid, int varid, int* dimidsp), (ncid, varid, dimidsp))
FORWARD(nc_inq_varid, (int ncid, const char* name, int* varidp), (ncid, name, varidp))
FORWARD(nc_inq_varname, (int ncid, int varid, char* name), (ncid, varid, name))
FORWARD(nc_inq_varndims, (int ncid, int varid, int* ndimsp), (ncid, varid, ndimsp))
FORWARD(nc_inq_vartype, (int ncid, int varid, nc_type* xtypep), (ncid, varid, xtypep))
FORWARD(nc_open, (const char* path, int mode, int* ncidp), (path, mode, ncidp))
FORWARD(nc_put_att_double, (int ncid, int varid, const char* name, nc_type xtype, size_t len, const double* op),
        (ncid, varid, name, xtype, len, op))
FORWARD(nc_put_att_text, (int ncid, int varid, const char* name, size_t len, const char* op),
        (ncid, varid, name, len, op))
FORWARD(nc_put_att_ulonglong,
        (int ncid, int varid, const char* name, nc_type xtype, size_t len, const unsigned long long* op),
        (ncid, varid, name, xtype, len, op))
FORWARD(nc_put_var_double, (int ncid, int varid, const double* op), (ncid, varid, op))
FORWARD(nc_put_var_int, (int ncid, int varid, const int* op), (ncid, varid, op))
FORWARD(nc_put_var_longlong, (int ncid, int varid, const long long* op), (ncid, varid, op))
FORWARD(nc_put_var_string, (int ncid, int varid, const char** op), (ncid, varid, op))
FORWARD(nc_put_vara, (int ncid, int varid, const size_t* startp, const size_t* countp, const void* op),
        (ncid, varid, startp, countp, op))

#undef FORWARD
