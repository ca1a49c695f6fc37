#pragma once

#include "core/version.hpp"
