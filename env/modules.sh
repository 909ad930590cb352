# shellcheck shell=bash
# Example of module lines for a cluster; names and versions differ by site (`module avail`).
# NOT RUN: this was written where no module system is. Source it, then see what is missing still: env/deps check
# Sites seldom have modules for the small libraries (fmt, yaml-cpp, nlohmann_json, utf8proc, Gloo): env/fetch sources builds them.
module load gcc/12.2        # any compiler of C++20: g++ 12, clang 15
module load cmake/3.25      # CMake 3.25 or later
module load ninja
module load hdf5/1.14       # serial, C interface; built with the same compiler
module load boost/1.80      # program_options
module load python/3.11     # only to fetch LibTorch: python3 -m pip
module load zlib libpng libjpeg-turbo ncurses   # often installed without a module: then leave this line out
# module load cuda/13.0     # headers for GPUs; cuda/12.6 with LibTorch 2.7 for V100
