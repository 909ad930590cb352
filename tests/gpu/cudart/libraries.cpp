// What LibTorch looks for in the driver's library, whose name the stand-in has, and what it calls
// of cuBLAS in a training step. A function takes no notice of its arguments and succeeds; a handle
// is an address. NOLINTBEGIN(cppcoreguidelines-macro-usage)
#define STANDIN_SUCCEEDS(function) \
  int function() {                 \
    return 0;                      \
  }
#define STANDIN_MAKES(function) \
  int function(void** handle) { \
    static int made;            \
    *handle = &made;            \
    return 0;                   \
  }
// NOLINTEND(cppcoreguidelines-macro-usage)

extern "C" {

int cuDevicePrimaryCtxGetState(int /*device*/, unsigned* flags, int* active) {
  *flags = 0;
  *active = 1;
  return 0;
}
STANDIN_MAKES(cuCtxGetCurrent)
STANDIN_SUCCEEDS(cuCtxSetCurrent)
STANDIN_SUCCEEDS(cuDeviceGet)
STANDIN_SUCCEEDS(cuDeviceGetAttribute)
STANDIN_SUCCEEDS(cuDevicePrimaryCtxRetain)
STANDIN_SUCCEEDS(cuFuncGetAttribute)
STANDIN_SUCCEEDS(cuFuncSetAttribute)
STANDIN_SUCCEEDS(cuFuncSetCacheConfig)
STANDIN_SUCCEEDS(cuGetErrorString)
STANDIN_SUCCEEDS(cuLaunchCooperativeKernel)
STANDIN_SUCCEEDS(cuLaunchKernel)
STANDIN_SUCCEEDS(cuLinkAddData_v2)
STANDIN_SUCCEEDS(cuLinkComplete)
STANDIN_SUCCEEDS(cuLinkCreate_v2)
STANDIN_SUCCEEDS(cuModuleGetFunction)
STANDIN_SUCCEEDS(cuModuleLoad)
STANDIN_SUCCEEDS(cuModuleLoadData)
STANDIN_SUCCEEDS(cuModuleLoadDataEx)
STANDIN_SUCCEEDS(cuModuleUnload)
STANDIN_SUCCEEDS(cuOccupancyMaxActiveBlocksPerMultiprocessor)
STANDIN_SUCCEEDS(cuPointerGetAttribute)
STANDIN_SUCCEEDS(cuTensorMapEncodeTiled)

int cublasLtMatmulAlgoGetHeuristic(void* /*handle*/, void* /*product*/, void* /*a*/, void* /*b*/,
                                   void* /*c*/, void* /*d*/, void* /*preference*/, int /*asked*/,
                                   void* /*results*/, int* found) {
  *found = 1;
  return 0;
}
STANDIN_MAKES(cublasCreate_v2)
STANDIN_MAKES(cublasLtCreate)
STANDIN_MAKES(cublasLtMatmulDescCreate)
STANDIN_MAKES(cublasLtMatrixLayoutCreate)
STANDIN_MAKES(cublasLtMatmulPreferenceCreate)
STANDIN_SUCCEEDS(cublasDestroy_v2)
STANDIN_SUCCEEDS(cublasSetStream_v2)
STANDIN_SUCCEEDS(cublasSetWorkspace_v2)
STANDIN_SUCCEEDS(cublasSetMathMode)
STANDIN_SUCCEEDS(cublasGetMathMode)
STANDIN_SUCCEEDS(cublasSetPointerMode_v2)
STANDIN_SUCCEEDS(cublasGetPointerMode_v2)
STANDIN_SUCCEEDS(cublasSgemm_v2)
STANDIN_SUCCEEDS(cublasSgemv_v2)
STANDIN_SUCCEEDS(cublasSdot_v2)
STANDIN_SUCCEEDS(cublasDotEx)
STANDIN_SUCCEEDS(cublasSgemmEx)
STANDIN_SUCCEEDS(cublasGemmEx)
STANDIN_SUCCEEDS(cublasSgemmStridedBatched)
STANDIN_SUCCEEDS(cublasGemmStridedBatchedEx)
STANDIN_SUCCEEDS(cublasLtMatmulDescDestroy)
STANDIN_SUCCEEDS(cublasLtMatmulDescSetAttribute)
STANDIN_SUCCEEDS(cublasLtMatrixLayoutDestroy)
STANDIN_SUCCEEDS(cublasLtMatrixLayoutSetAttribute)
STANDIN_SUCCEEDS(cublasLtMatmulPreferenceDestroy)
STANDIN_SUCCEEDS(cublasLtMatmulPreferenceSetAttribute)
STANDIN_SUCCEEDS(cublasLtMatmul)

}  // extern "C"
