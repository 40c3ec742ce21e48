module @training {
  func.func @main(%in0: tensor<4x12xf32>, %in1: tensor<4xf32>, %in2: tensor<2x2xf32>, %in3: tensor<2xf32>, %in4: tensor<4x8xf32>, %in5: tensor<4xf32>, %in6: tensor<4x4xf32>, %in7: tensor<4xf32>, %in8: tensor<4xf32>, %in9: tensor<4xf32>, %in10: tensor<6x4xf32>, %in11: tensor<6xf32>, %in12: tensor<4x6xf32>, %in13: tensor<4xf32>, %in14: tensor<4xf32>, %in15: tensor<4xf32>, %in16: tensor<10x4xf32>, %in17: tensor<10xf32>, %in18: tensor<4x12xf32>, %in19: tensor<4xf32>, %in20: tensor<2x2xf32>, %in21: tensor<2xf32>, %in22: tensor<4x8xf32>, %in23: tensor<4xf32>, %in24: tensor<4x4xf32>, %in25: tensor<4xf32>, %in26: tensor<4xf32>, %in27: tensor<4xf32>, %in28: tensor<6x4xf32>, %in29: tensor<6xf32>, %in30: tensor<4x6xf32>, %in31: tensor<4xf32>, %in32: tensor<4xf32>, %in33: tensor<4xf32>, %in34: tensor<10x4xf32>, %in35: tensor<10xf32>, %in36: tensor<2x4x6x3xf32>, %in37: tensor<2xi32>, %in38: tensor<2xui32>, %in39: tensor<3x3xf32>) -> (tensor<4x12xf32>, tensor<4xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<6x4xf32>, tensor<6xf32>, tensor<4x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<10x4xf32>, tensor<10xf32>, tensor<4x12xf32>, tensor<4xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<6x4xf32>, tensor<6xf32>, tensor<4x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<10x4xf32>, tensor<10xf32>, tensor<3xf32>) {
    %0 = "stablehlo.reshape"(%in36) : (tensor<2x4x6x3xf32>) -> tensor<2x2x2x3x2x3xf32>
    %1 = "stablehlo.transpose"(%0) { permutation = array<i64: 0, 1, 3, 2, 4, 5> } : (tensor<2x2x2x3x2x3xf32>) -> tensor<2x2x3x2x2x3xf32>
    %2 = "stablehlo.reshape"(%1) : (tensor<2x2x3x2x2x3xf32>) -> tensor<2x6x12xf32>
    %3 = "stablehlo.reshape"(%2) : (tensor<2x6x12xf32>) -> tensor<12x12xf32>
    %4 = "stablehlo.dot_general"(%3, %in0) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [1] } : (tensor<12x12xf32>, tensor<4x12xf32>) -> tensor<12x4xf32>
    %5 = "stablehlo.reshape"(%4) : (tensor<12x4xf32>) -> tensor<2x6x4xf32>
    %6 = "stablehlo.reshape"(%in1) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    %7 = "stablehlo.broadcast_in_dim"(%6) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<1x1x4xf32>) -> tensor<2x6x4xf32>
    %8 = "stablehlo.add"(%5, %7) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %9 = "stablehlo.reshape"(%2) : (tensor<2x6x12xf32>) -> tensor<12x12xf32>
    %10 = "stablehlo.dot_general"(%9, %in0) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [1] } : (tensor<12x12xf32>, tensor<4x12xf32>) -> tensor<12x4xf32>
    %11 = "stablehlo.reshape"(%10) : (tensor<12x4xf32>) -> tensor<2x6x4xf32>
    %12 = "stablehlo.reshape"(%in1) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    %13 = "stablehlo.broadcast_in_dim"(%12) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<1x1x4xf32>) -> tensor<2x6x4xf32>
    %14 = "stablehlo.add"(%11, %13) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %15 = "stablehlo.slice"(%in2) { limit_indices = array<i64: 2, 1> start_indices = array<i64: 0, 0> strides = array<i64: 1, 1> } : (tensor<2x2xf32>) -> tensor<2x1xf32>
    %16 = "stablehlo.reshape"(%15) : (tensor<2x1xf32>) -> tensor<2x1x1xf32>
    %17 = "stablehlo.iota"() { iota_dimension = 2 : i64 } : () -> tensor<1x2x2xf32>
    %18 = "stablehlo.iota"() { iota_dimension = 1 : i64 } : () -> tensor<1x2x2xf32>
    %19 = "stablehlo.subtract"(%17, %18) : (tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %20 = "stablehlo.broadcast_in_dim"(%19) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<1x2x2xf32>) -> tensor<2x2x2xf32>
    %21 = "stablehlo.broadcast_in_dim"(%16) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x1x1xf32>) -> tensor<2x2x2xf32>
    %22 = "stablehlo.subtract"(%20, %21) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %23 = "stablehlo.reshape"(%in3) : (tensor<2xf32>) -> tensor<2x1x1xf32>
    %24 = "stablehlo.broadcast_in_dim"(%23) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x1x1xf32>) -> tensor<2x2x2xf32>
    %25 = "stablehlo.multiply"(%22, %24) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %26 = "stablehlo.multiply"(%25, %25) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %27 = "stablehlo.constant"() { value = dense<-0.5> : tensor<f32> } : () -> tensor<f32>
    %28 = "stablehlo.broadcast_in_dim"(%27) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x2x2xf32>
    %29 = "stablehlo.multiply"(%26, %28) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %31 = "stablehlo.constant"() { value = dense<0xff800000> : tensor<f32> } : () -> tensor<f32>
    %32 = "stablehlo.reduce"(%29, %31) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %30 = "stablehlo.maximum"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%30) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
    %33 = "stablehlo.reshape"(%32) : (tensor<2x2xf32>) -> tensor<2x2x1xf32>
    %34 = "stablehlo.broadcast_in_dim"(%33) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x2x1xf32>) -> tensor<2x2x2xf32>
    %35 = "stablehlo.subtract"(%29, %34) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %36 = "stablehlo.exponential"(%35) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %38 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %39 = "stablehlo.reduce"(%36, %38) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
    %40 = "stablehlo.reshape"(%39) : (tensor<2x2xf32>) -> tensor<2x2x1xf32>
    %41 = "stablehlo.broadcast_in_dim"(%40) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x2x1xf32>) -> tensor<2x2x2xf32>
    %42 = "stablehlo.divide"(%36, %41) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %43 = "stablehlo.slice"(%in2) { limit_indices = array<i64: 2, 2> start_indices = array<i64: 0, 1> strides = array<i64: 1, 1> } : (tensor<2x2xf32>) -> tensor<2x1xf32>
    %44 = "stablehlo.reshape"(%43) : (tensor<2x1xf32>) -> tensor<2x1x1xf32>
    %45 = "stablehlo.iota"() { iota_dimension = 2 : i64 } : () -> tensor<1x3x3xf32>
    %46 = "stablehlo.iota"() { iota_dimension = 1 : i64 } : () -> tensor<1x3x3xf32>
    %47 = "stablehlo.subtract"(%45, %46) : (tensor<1x3x3xf32>, tensor<1x3x3xf32>) -> tensor<1x3x3xf32>
    %48 = "stablehlo.broadcast_in_dim"(%47) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<1x3x3xf32>) -> tensor<2x3x3xf32>
    %49 = "stablehlo.broadcast_in_dim"(%44) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x1x1xf32>) -> tensor<2x3x3xf32>
    %50 = "stablehlo.subtract"(%48, %49) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %51 = "stablehlo.reshape"(%in3) : (tensor<2xf32>) -> tensor<2x1x1xf32>
    %52 = "stablehlo.broadcast_in_dim"(%51) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x1x1xf32>) -> tensor<2x3x3xf32>
    %53 = "stablehlo.multiply"(%50, %52) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %54 = "stablehlo.multiply"(%53, %53) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %55 = "stablehlo.broadcast_in_dim"(%27) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x3x3xf32>
    %56 = "stablehlo.multiply"(%54, %55) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %57 = "stablehlo.constant"() { value = dense<0xff800000> : tensor<f32> } : () -> tensor<f32>
    %58 = "stablehlo.reduce"(%56, %57) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %30 = "stablehlo.maximum"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%30) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x3x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %59 = "stablehlo.reshape"(%58) : (tensor<2x3xf32>) -> tensor<2x3x1xf32>
    %60 = "stablehlo.broadcast_in_dim"(%59) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x3x1xf32>) -> tensor<2x3x3xf32>
    %61 = "stablehlo.subtract"(%56, %60) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %62 = "stablehlo.exponential"(%61) : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %63 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %64 = "stablehlo.reduce"(%62, %63) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x3x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %65 = "stablehlo.reshape"(%64) : (tensor<2x3xf32>) -> tensor<2x3x1xf32>
    %66 = "stablehlo.broadcast_in_dim"(%65) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x3x1xf32>) -> tensor<2x3x3xf32>
    %67 = "stablehlo.divide"(%62, %66) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %68 = "stablehlo.reshape"(%in4) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %69 = "stablehlo.dot_general"(%in6, %68) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0] } : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %70 = "stablehlo.reshape"(%69) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %71 = "stablehlo.reshape"(%in5) : (tensor<4xf32>) -> tensor<1x4xf32>
    %72 = "stablehlo.dot_general"(%71, %in6) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [1] } : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
    %73 = "stablehlo.reshape"(%72) : (tensor<1x4xf32>) -> tensor<4xf32>
    %74 = "stablehlo.broadcast_in_dim"(%in7) { broadcast_dimensions = array<i64: 0> } : (tensor<4xf32>) -> tensor<4xf32>
    %75 = "stablehlo.add"(%73, %74) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %76 = "stablehlo.reshape"(%14) : (tensor<2x6x4xf32>) -> tensor<2x2x3x4xf32>
    %77 = "stablehlo.dot_general"(%42, %76) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [2] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [1] } : (tensor<2x2x2xf32>, tensor<2x2x3x4xf32>) -> tensor<2x2x2x3x4xf32>
    %78 = "stablehlo.transpose"(%77) { permutation = array<i64: 2, 0, 1, 3, 4> } : (tensor<2x2x2x3x4xf32>) -> tensor<2x2x2x3x4xf32>
    %79 = "stablehlo.dot_general"(%67, %78) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [0] lhs_contracting_dimensions = [2] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [1] rhs_contracting_dimensions = [3] } : (tensor<2x3x3xf32>, tensor<2x2x2x3x4xf32>) -> tensor<2x3x2x2x4xf32>
    %80 = "stablehlo.transpose"(%79) { permutation = array<i64: 2, 3, 1, 0, 4> } : (tensor<2x3x2x2x4xf32>) -> tensor<2x2x3x2x4xf32>
    %81 = "stablehlo.reshape"(%80) : (tensor<2x2x3x2x4xf32>) -> tensor<2x6x8xf32>
    %82 = "stablehlo.reshape"(%81) : (tensor<2x6x8xf32>) -> tensor<12x8xf32>
    %83 = "stablehlo.dot_general"(%82, %70) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [1] } : (tensor<12x8xf32>, tensor<4x8xf32>) -> tensor<12x4xf32>
    %84 = "stablehlo.reshape"(%83) : (tensor<12x4xf32>) -> tensor<2x6x4xf32>
    %85 = "stablehlo.reshape"(%75) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    %86 = "stablehlo.broadcast_in_dim"(%85) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<1x1x4xf32>) -> tensor<2x6x4xf32>
    %87 = "stablehlo.add"(%84, %86) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %88 = "stablehlo.add"(%8, %87) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %89 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %90 = "stablehlo.reduce"(%88, %89) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x6xf32>
    %91 = "stablehlo.constant"() { value = dense<0.25> : tensor<f32> } : () -> tensor<f32>
    %92 = "stablehlo.broadcast_in_dim"(%91) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6xf32>
    %93 = "stablehlo.multiply"(%90, %92) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
    %94 = "stablehlo.reshape"(%93) : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %95 = "stablehlo.broadcast_in_dim"(%94) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    %96 = "stablehlo.subtract"(%88, %95) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %97 = "stablehlo.multiply"(%96, %96) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %98 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %99 = "stablehlo.reduce"(%97, %98) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x6xf32>
    %100 = "stablehlo.broadcast_in_dim"(%91) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6xf32>
    %101 = "stablehlo.multiply"(%99, %100) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
    %102 = "stablehlo.reshape"(%101) : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %103 = "stablehlo.constant"() { value = dense<9.999999960041972e-13> : tensor<f32> } : () -> tensor<f32>
    %104 = "stablehlo.broadcast_in_dim"(%103) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x1xf32>
    %105 = "stablehlo.add"(%102, %104) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %106 = "stablehlo.sqrt"(%105) : (tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %107 = "stablehlo.constant"() { value = dense<1.0> : tensor<f32> } : () -> tensor<f32>
    %108 = "stablehlo.broadcast_in_dim"(%107) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x1xf32>
    %109 = "stablehlo.divide"(%108, %106) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %110 = "stablehlo.broadcast_in_dim"(%109) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    %111 = "stablehlo.multiply"(%96, %110) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %112 = "stablehlo.reshape"(%in8) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    %113 = "stablehlo.broadcast_in_dim"(%112) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<1x1x4xf32>) -> tensor<2x6x4xf32>
    %114 = "stablehlo.multiply"(%111, %113) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %115 = "stablehlo.reshape"(%in9) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    %116 = "stablehlo.broadcast_in_dim"(%115) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<1x1x4xf32>) -> tensor<2x6x4xf32>
    %117 = "stablehlo.add"(%114, %116) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %118 = "stablehlo.reshape"(%117) : (tensor<2x6x4xf32>) -> tensor<12x4xf32>
    %119 = "stablehlo.dot_general"(%118, %in10) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [1] } : (tensor<12x4xf32>, tensor<6x4xf32>) -> tensor<12x6xf32>
    %120 = "stablehlo.reshape"(%119) : (tensor<12x6xf32>) -> tensor<2x6x6xf32>
    %121 = "stablehlo.reshape"(%in11) : (tensor<6xf32>) -> tensor<1x1x6xf32>
    %122 = "stablehlo.broadcast_in_dim"(%121) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<1x1x6xf32>) -> tensor<2x6x6xf32>
    %123 = "stablehlo.add"(%120, %122) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    %124 = "stablehlo.constant"() { value = dense<0.7071067690849304> : tensor<f32> } : () -> tensor<f32>
    %125 = "stablehlo.broadcast_in_dim"(%124) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x6xf32>
    %126 = "stablehlo.multiply"(%123, %125) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    %127 = "chlo.erf"(%126) : (tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    %128 = "stablehlo.broadcast_in_dim"(%107) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x6xf32>
    %129 = "stablehlo.add"(%128, %127) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    %130 = "stablehlo.constant"() { value = dense<0.5> : tensor<f32> } : () -> tensor<f32>
    %131 = "stablehlo.broadcast_in_dim"(%130) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x6xf32>
    %132 = "stablehlo.multiply"(%129, %131) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    %133 = "stablehlo.multiply"(%123, %132) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    %134 = "stablehlo.reshape"(%133) : (tensor<2x6x6xf32>) -> tensor<12x6xf32>
    %135 = "stablehlo.dot_general"(%134, %in12) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [1] } : (tensor<12x6xf32>, tensor<4x6xf32>) -> tensor<12x4xf32>
    %136 = "stablehlo.reshape"(%135) : (tensor<12x4xf32>) -> tensor<2x6x4xf32>
    %137 = "stablehlo.reshape"(%in13) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    %138 = "stablehlo.broadcast_in_dim"(%137) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<1x1x4xf32>) -> tensor<2x6x4xf32>
    %139 = "stablehlo.add"(%136, %138) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %140 = "stablehlo.add"(%117, %139) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %141 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %142 = "stablehlo.reduce"(%140, %141) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x6xf32>
    %143 = "stablehlo.broadcast_in_dim"(%91) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6xf32>
    %144 = "stablehlo.multiply"(%142, %143) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
    %145 = "stablehlo.reshape"(%144) : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %146 = "stablehlo.broadcast_in_dim"(%145) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    %147 = "stablehlo.subtract"(%140, %146) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %148 = "stablehlo.multiply"(%147, %147) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %149 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %150 = "stablehlo.reduce"(%148, %149) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x6xf32>
    %151 = "stablehlo.broadcast_in_dim"(%91) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6xf32>
    %152 = "stablehlo.multiply"(%150, %151) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
    %153 = "stablehlo.reshape"(%152) : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %154 = "stablehlo.broadcast_in_dim"(%103) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x1xf32>
    %155 = "stablehlo.add"(%153, %154) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %156 = "stablehlo.sqrt"(%155) : (tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %157 = "stablehlo.broadcast_in_dim"(%107) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x1xf32>
    %158 = "stablehlo.divide"(%157, %156) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %159 = "stablehlo.broadcast_in_dim"(%158) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    %160 = "stablehlo.multiply"(%147, %159) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %161 = "stablehlo.reshape"(%in14) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    %162 = "stablehlo.broadcast_in_dim"(%161) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<1x1x4xf32>) -> tensor<2x6x4xf32>
    %163 = "stablehlo.multiply"(%160, %162) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %164 = "stablehlo.reshape"(%in15) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    %165 = "stablehlo.broadcast_in_dim"(%164) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<1x1x4xf32>) -> tensor<2x6x4xf32>
    %166 = "stablehlo.add"(%163, %165) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %167 = "stablehlo.reshape"(%166) : (tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %168 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %169 = "stablehlo.reduce"(%167, %168) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 1> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x4xf32>
    %170 = "stablehlo.constant"() { value = dense<0.1666666716337204> : tensor<f32> } : () -> tensor<f32>
    %171 = "stablehlo.broadcast_in_dim"(%170) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x4xf32>
    %172 = "stablehlo.multiply"(%169, %171) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %173 = "stablehlo.reshape"(%172) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %174 = "stablehlo.dot_general"(%173, %in16) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [1] } : (tensor<2x4xf32>, tensor<10x4xf32>) -> tensor<2x10xf32>
    %175 = "stablehlo.reshape"(%174) : (tensor<2x10xf32>) -> tensor<2x10xf32>
    %176 = "stablehlo.reshape"(%in17) : (tensor<10xf32>) -> tensor<1x10xf32>
    %177 = "stablehlo.broadcast_in_dim"(%176) { broadcast_dimensions = array<i64: 0, 1> } : (tensor<1x10xf32>) -> tensor<2x10xf32>
    %178 = "stablehlo.add"(%175, %177) : (tensor<2x10xf32>, tensor<2x10xf32>) -> tensor<2x10xf32>
    %179 = "stablehlo.constant"() { value = dense<0> : tensor<i32> } : () -> tensor<i32>
    %180 = "stablehlo.broadcast_in_dim"(%179) { broadcast_dimensions = array<i64> } : (tensor<i32>) -> tensor<2xi32>
    %181 = "stablehlo.compare"(%in37, %180) { compare_type = #stablehlo<comparison_type SIGNED> comparison_direction = #stablehlo<comparison_direction GE> } : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %182 = "stablehlo.convert"(%181) : (tensor<2xi1>) -> tensor<2xf32>
    %191 = "stablehlo.iota"() { iota_dimension = 1 : i64 } : () -> tensor<2x10xi32>
    %192 = "stablehlo.constant"() { value = dense<0> : tensor<i32> } : () -> tensor<i32>
    %193 = "stablehlo.constant"() { value = dense<0xff800000> : tensor<f32> } : () -> tensor<f32>
    %194, %195 = "stablehlo.reduce"(%191, %178, %192, %193) ({
      ^reductionFn(%lhs_idx: tensor<i32>, %lhs_v: tensor<f32>, %rhs_idx: tensor<i32>, %rhs_v: tensor<f32>) :
          %183 = "stablehlo.compare"(%lhs_v, %rhs_v) {
            compare_type = #stablehlo<comparison_type FLOAT>,
            comparison_direction = #stablehlo<comparison_direction GT>
          } : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %184 = "stablehlo.compare"(%lhs_v, %lhs_v) {
            compare_type = #stablehlo<comparison_type FLOAT>,
            comparison_direction = #stablehlo<comparison_direction NE>
          } : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %185 = "stablehlo.or"(%183, %184) : (tensor<i1>, tensor<i1>) -> tensor<i1>
          %186 = "stablehlo.compare"(%lhs_v, %rhs_v) {
            compare_type = #stablehlo<comparison_type FLOAT>,
            comparison_direction = #stablehlo<comparison_direction EQ>
          } : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %187 = "stablehlo.minimum"(%lhs_idx, %rhs_idx) : (tensor<i32>, tensor<i32>) -> tensor<i32>
          %188 = "stablehlo.select"(%186, %187, %rhs_idx) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
          %189 = "stablehlo.select"(%185, %lhs_idx, %188) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
          %190 = "stablehlo.maximum"(%lhs_v, %rhs_v) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%189, %190) : (tensor<i32>, tensor<f32>) -> ()
    }) { dimensions = array<i64: 1> } : (tensor<2x10xi32>, tensor<2x10xf32>, tensor<i32>, tensor<f32>) -> (tensor<2xi32>, tensor<2xf32>)
    %196 = "stablehlo.compare"(%194, %in37) { compare_type = #stablehlo<comparison_type SIGNED> comparison_direction = #stablehlo<comparison_direction EQ> } : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %197 = "stablehlo.convert"(%196) : (tensor<2xi1>) -> tensor<2xf32>
    %198 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %199 = "stablehlo.reduce"(%197, %198) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    %200 = "stablehlo.reshape"(%in37) : (tensor<2xi32>) -> tensor<2x1xi32>
    %201 = "stablehlo.iota"() { iota_dimension = 1 : i64 } : () -> tensor<1x10xi32>
    %202 = "stablehlo.broadcast_in_dim"(%200) { broadcast_dimensions = array<i64: 0, 1> } : (tensor<2x1xi32>) -> tensor<2x10xi32>
    %203 = "stablehlo.broadcast_in_dim"(%201) { broadcast_dimensions = array<i64: 0, 1> } : (tensor<1x10xi32>) -> tensor<2x10xi32>
    %204 = "stablehlo.compare"(%202, %203) { compare_type = #stablehlo<comparison_type SIGNED> comparison_direction = #stablehlo<comparison_direction EQ> } : (tensor<2x10xi32>, tensor<2x10xi32>) -> tensor<2x10xi1>
    %205 = "stablehlo.convert"(%204) : (tensor<2x10xi1>) -> tensor<2x10xf32>
    %206 = "stablehlo.broadcast_in_dim"(%107) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x10xf32>
    %207 = "stablehlo.multiply"(%205, %206) : (tensor<2x10xf32>, tensor<2x10xf32>) -> tensor<2x10xf32>
    %208 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %209 = "stablehlo.broadcast_in_dim"(%208) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x10xf32>
    %210 = "stablehlo.add"(%207, %209) : (tensor<2x10xf32>, tensor<2x10xf32>) -> tensor<2x10xf32>
    %211 = "stablehlo.constant"() { value = dense<0xff800000> : tensor<f32> } : () -> tensor<f32>
    %212 = "stablehlo.reduce"(%178, %211) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %30 = "stablehlo.maximum"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%30) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 1> } : (tensor<2x10xf32>, tensor<f32>) -> tensor<2xf32>
    %213 = "stablehlo.reshape"(%212) : (tensor<2xf32>) -> tensor<2x1xf32>
    %214 = "stablehlo.broadcast_in_dim"(%213) { broadcast_dimensions = array<i64: 0, 1> } : (tensor<2x1xf32>) -> tensor<2x10xf32>
    %215 = "stablehlo.subtract"(%178, %214) : (tensor<2x10xf32>, tensor<2x10xf32>) -> tensor<2x10xf32>
    %216 = "stablehlo.exponential"(%215) : (tensor<2x10xf32>) -> tensor<2x10xf32>
    %217 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %218 = "stablehlo.reduce"(%216, %217) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 1> } : (tensor<2x10xf32>, tensor<f32>) -> tensor<2xf32>
    %219 = "stablehlo.reshape"(%218) : (tensor<2xf32>) -> tensor<2x1xf32>
    %220 = "stablehlo.log"(%219) : (tensor<2x1xf32>) -> tensor<2x1xf32>
    %221 = "stablehlo.broadcast_in_dim"(%220) { broadcast_dimensions = array<i64: 0, 1> } : (tensor<2x1xf32>) -> tensor<2x10xf32>
    %222 = "stablehlo.subtract"(%215, %221) : (tensor<2x10xf32>, tensor<2x10xf32>) -> tensor<2x10xf32>
    %223 = "stablehlo.multiply"(%210, %222) : (tensor<2x10xf32>, tensor<2x10xf32>) -> tensor<2x10xf32>
    %224 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %225 = "stablehlo.reduce"(%223, %224) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 1> } : (tensor<2x10xf32>, tensor<f32>) -> tensor<2xf32>
    %226 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %227 = "stablehlo.reduce"(%182, %226) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    %228 = "stablehlo.maximum"(%227, %107) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %229 = "stablehlo.multiply"(%225, %182) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %230 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %231 = "stablehlo.reduce"(%229, %230) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    %232 = "stablehlo.divide"(%231, %228) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %233 = "stablehlo.negate"(%232) : (tensor<f32>) -> tensor<f32>
    %234 = "stablehlo.negate"(%107) : (tensor<f32>) -> tensor<f32>
    %235 = "stablehlo.divide"(%234, %228) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %236 = "stablehlo.multiply"(%228, %228) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %237 = "stablehlo.divide"(%231, %236) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %238 = "stablehlo.multiply"(%234, %237) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %239 = "stablehlo.negate"(%238) : (tensor<f32>) -> tensor<f32>
    %240 = "stablehlo.reshape"(%235) : (tensor<f32>) -> tensor<1xf32>
    %241 = "stablehlo.broadcast_in_dim"(%240) { broadcast_dimensions = array<i64: 0> } : (tensor<1xf32>) -> tensor<2xf32>
    %242 = "stablehlo.multiply"(%241, %182) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %243 = "stablehlo.multiply"(%241, %225) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %244 = "stablehlo.reshape"(%242) : (tensor<2xf32>) -> tensor<2x1xf32>
    %245 = "stablehlo.broadcast_in_dim"(%244) { broadcast_dimensions = array<i64: 0, 1> } : (tensor<2x1xf32>) -> tensor<2x10xf32>
    %246 = "stablehlo.multiply"(%245, %222) : (tensor<2x10xf32>, tensor<2x10xf32>) -> tensor<2x10xf32>
    %247 = "stablehlo.multiply"(%245, %210) : (tensor<2x10xf32>, tensor<2x10xf32>) -> tensor<2x10xf32>
    %248 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %249 = "stablehlo.reduce"(%247, %248) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 1> } : (tensor<2x10xf32>, tensor<f32>) -> tensor<2xf32>
    %250 = "stablehlo.reshape"(%249) : (tensor<2xf32>) -> tensor<2x1xf32>
    %251 = "stablehlo.negate"(%250) : (tensor<2x1xf32>) -> tensor<2x1xf32>
    %252 = "stablehlo.broadcast_in_dim"(%107) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x1xf32>
    %253 = "stablehlo.divide"(%252, %219) : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
    %254 = "stablehlo.multiply"(%251, %253) : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
    %255 = "stablehlo.reshape"(%254) : (tensor<2x1xf32>) -> tensor<2xf32>
    %256 = "stablehlo.reshape"(%255) : (tensor<2xf32>) -> tensor<2x1xf32>
    %257 = "stablehlo.broadcast_in_dim"(%256) { broadcast_dimensions = array<i64: 0, 1> } : (tensor<2x1xf32>) -> tensor<2x10xf32>
    %258 = "stablehlo.multiply"(%257, %216) : (tensor<2x10xf32>, tensor<2x10xf32>) -> tensor<2x10xf32>
    %259 = "stablehlo.add"(%247, %258) : (tensor<2x10xf32>, tensor<2x10xf32>) -> tensor<2x10xf32>
    %260 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %261 = "stablehlo.reduce"(%259, %260) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 1> } : (tensor<2x10xf32>, tensor<f32>) -> tensor<2xf32>
    %262 = "stablehlo.reshape"(%261) : (tensor<2xf32>) -> tensor<2x1xf32>
    %263 = "stablehlo.negate"(%262) : (tensor<2x1xf32>) -> tensor<2x1xf32>
    %264 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %265 = "stablehlo.reduce"(%259, %264) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<2x10xf32>, tensor<f32>) -> tensor<10xf32>
    %266 = "stablehlo.reshape"(%265) : (tensor<10xf32>) -> tensor<1x10xf32>
    %267 = "stablehlo.reshape"(%266) : (tensor<1x10xf32>) -> tensor<10xf32>
    %268 = "stablehlo.reshape"(%259) : (tensor<2x10xf32>) -> tensor<2x10xf32>
    %269 = "stablehlo.dot_general"(%268, %in16) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0] } : (tensor<2x10xf32>, tensor<10x4xf32>) -> tensor<2x4xf32>
    %270 = "stablehlo.transpose"(%269) { permutation = array<i64: 0, 1> } : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %271 = "stablehlo.dot_general"(%268, %173) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [0] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0] } : (tensor<2x10xf32>, tensor<2x4xf32>) -> tensor<10x4xf32>
    %272 = "stablehlo.transpose"(%271) { permutation = array<i64: 0, 1> } : (tensor<10x4xf32>) -> tensor<10x4xf32>
    %273 = "stablehlo.reshape"(%270) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %274 = "stablehlo.broadcast_in_dim"(%170) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x4xf32>
    %275 = "stablehlo.multiply"(%273, %274) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %276 = "stablehlo.multiply"(%273, %169) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %277 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %278 = "stablehlo.reduce"(%276, %277) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x4xf32>, tensor<f32>) -> tensor<f32>
    %279 = "stablehlo.reshape"(%275) : (tensor<2x4xf32>) -> tensor<2x1x4xf32>
    %280 = "stablehlo.broadcast_in_dim"(%279) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x1x4xf32>) -> tensor<2x6x4xf32>
    %281 = "stablehlo.reshape"(%280) : (tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %282 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %283 = "stablehlo.reduce"(%281, %282) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<4xf32>
    %284 = "stablehlo.reshape"(%283) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    %285 = "stablehlo.reshape"(%284) : (tensor<1x1x4xf32>) -> tensor<4xf32>
    %286 = "stablehlo.multiply"(%281, %162) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %287 = "stablehlo.multiply"(%281, %160) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %288 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %289 = "stablehlo.reduce"(%287, %288) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<4xf32>
    %290 = "stablehlo.reshape"(%289) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    %291 = "stablehlo.reshape"(%290) : (tensor<1x1x4xf32>) -> tensor<4xf32>
    %292 = "stablehlo.broadcast_in_dim"(%158) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    %293 = "stablehlo.multiply"(%286, %292) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %294 = "stablehlo.multiply"(%286, %147) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %295 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %296 = "stablehlo.reduce"(%294, %295) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x6xf32>
    %297 = "stablehlo.reshape"(%296) : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %298 = "stablehlo.broadcast_in_dim"(%107) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x1xf32>
    %299 = "stablehlo.divide"(%297, %156) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %300 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %301 = "stablehlo.reduce"(%299, %300) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>, tensor<f32>) -> tensor<f32>
    %302 = "stablehlo.multiply"(%156, %156) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %303 = "stablehlo.divide"(%298, %302) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %304 = "stablehlo.multiply"(%297, %303) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %305 = "stablehlo.negate"(%304) : (tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %306 = "stablehlo.broadcast_in_dim"(%107) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x1xf32>
    %307 = "stablehlo.divide"(%306, %156) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %308 = "stablehlo.broadcast_in_dim"(%130) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x1xf32>
    %309 = "stablehlo.multiply"(%307, %308) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %310 = "stablehlo.multiply"(%305, %309) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %311 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %312 = "stablehlo.reduce"(%310, %311) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>, tensor<f32>) -> tensor<f32>
    %313 = "stablehlo.reshape"(%310) : (tensor<2x6x1xf32>) -> tensor<2x6xf32>
    %314 = "stablehlo.broadcast_in_dim"(%91) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6xf32>
    %315 = "stablehlo.multiply"(%313, %314) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
    %316 = "stablehlo.multiply"(%313, %150) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
    %317 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %318 = "stablehlo.reduce"(%316, %317) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x6xf32>, tensor<f32>) -> tensor<f32>
    %319 = "stablehlo.reshape"(%315) : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %320 = "stablehlo.broadcast_in_dim"(%319) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    %321 = "stablehlo.multiply"(%320, %147) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %322 = "stablehlo.multiply"(%320, %147) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %323 = "stablehlo.add"(%293, %321) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %324 = "stablehlo.add"(%323, %322) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %325 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %326 = "stablehlo.reduce"(%324, %325) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x6xf32>
    %327 = "stablehlo.reshape"(%326) : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %328 = "stablehlo.negate"(%327) : (tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %329 = "stablehlo.reshape"(%328) : (tensor<2x6x1xf32>) -> tensor<2x6xf32>
    %330 = "stablehlo.broadcast_in_dim"(%91) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6xf32>
    %331 = "stablehlo.multiply"(%329, %330) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
    %332 = "stablehlo.multiply"(%329, %142) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
    %333 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %334 = "stablehlo.reduce"(%332, %333) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x6xf32>, tensor<f32>) -> tensor<f32>
    %335 = "stablehlo.add"(%318, %334) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %336 = "stablehlo.reshape"(%331) : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %337 = "stablehlo.broadcast_in_dim"(%336) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    %338 = "stablehlo.add"(%324, %337) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %339 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %340 = "stablehlo.reduce"(%338, %339) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<4xf32>
    %341 = "stablehlo.reshape"(%340) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    %342 = "stablehlo.reshape"(%341) : (tensor<1x1x4xf32>) -> tensor<4xf32>
    %343 = "stablehlo.reshape"(%338) : (tensor<2x6x4xf32>) -> tensor<12x4xf32>
    %344 = "stablehlo.dot_general"(%343, %in12) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0] } : (tensor<12x4xf32>, tensor<4x6xf32>) -> tensor<12x6xf32>
    %345 = "stablehlo.transpose"(%344) { permutation = array<i64: 0, 1> } : (tensor<12x6xf32>) -> tensor<12x6xf32>
    %346 = "stablehlo.dot_general"(%343, %134) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [0] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0] } : (tensor<12x4xf32>, tensor<12x6xf32>) -> tensor<4x6xf32>
    %347 = "stablehlo.transpose"(%346) { permutation = array<i64: 0, 1> } : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %348 = "stablehlo.reshape"(%345) : (tensor<12x6xf32>) -> tensor<2x6x6xf32>
    %349 = "stablehlo.multiply"(%348, %132) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    %350 = "stablehlo.multiply"(%348, %123) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    %351 = "stablehlo.broadcast_in_dim"(%130) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x6xf32>
    %352 = "stablehlo.multiply"(%350, %351) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    %353 = "stablehlo.multiply"(%350, %129) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    %354 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %355 = "stablehlo.reduce"(%353, %354) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x6xf32>, tensor<f32>) -> tensor<f32>
    %356 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %357 = "stablehlo.reduce"(%352, %356) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x6xf32>, tensor<f32>) -> tensor<f32>
    %358 = "stablehlo.add"(%301, %357) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %359 = "stablehlo.multiply"(%126, %126) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    %360 = "stablehlo.negate"(%359) : (tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    %361 = "stablehlo.exponential"(%360) : (tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    %362 = "stablehlo.constant"() { value = dense<1.128379225730896> : tensor<f32> } : () -> tensor<f32>
    %363 = "stablehlo.broadcast_in_dim"(%362) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x6xf32>
    %364 = "stablehlo.multiply"(%361, %363) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    %365 = "stablehlo.multiply"(%352, %364) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    %366 = "stablehlo.broadcast_in_dim"(%124) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x6xf32>
    %367 = "stablehlo.multiply"(%365, %366) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    %368 = "stablehlo.multiply"(%365, %123) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    %369 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %370 = "stablehlo.reduce"(%368, %369) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x6xf32>, tensor<f32>) -> tensor<f32>
    %371 = "stablehlo.add"(%349, %367) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    %372 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %373 = "stablehlo.reduce"(%371, %372) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x6x6xf32>, tensor<f32>) -> tensor<6xf32>
    %374 = "stablehlo.reshape"(%373) : (tensor<6xf32>) -> tensor<1x1x6xf32>
    %375 = "stablehlo.reshape"(%374) : (tensor<1x1x6xf32>) -> tensor<6xf32>
    %376 = "stablehlo.reshape"(%371) : (tensor<2x6x6xf32>) -> tensor<12x6xf32>
    %377 = "stablehlo.dot_general"(%376, %in10) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0] } : (tensor<12x6xf32>, tensor<6x4xf32>) -> tensor<12x4xf32>
    %378 = "stablehlo.transpose"(%377) { permutation = array<i64: 0, 1> } : (tensor<12x4xf32>) -> tensor<12x4xf32>
    %379 = "stablehlo.dot_general"(%376, %118) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [0] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0] } : (tensor<12x6xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
    %380 = "stablehlo.transpose"(%379) { permutation = array<i64: 0, 1> } : (tensor<6x4xf32>) -> tensor<6x4xf32>
    %381 = "stablehlo.reshape"(%378) : (tensor<12x4xf32>) -> tensor<2x6x4xf32>
    %382 = "stablehlo.add"(%338, %381) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %383 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %384 = "stablehlo.reduce"(%382, %383) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<4xf32>
    %385 = "stablehlo.reshape"(%384) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    %386 = "stablehlo.reshape"(%385) : (tensor<1x1x4xf32>) -> tensor<4xf32>
    %387 = "stablehlo.multiply"(%382, %113) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %388 = "stablehlo.multiply"(%382, %111) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %389 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %390 = "stablehlo.reduce"(%388, %389) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<4xf32>
    %391 = "stablehlo.reshape"(%390) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    %392 = "stablehlo.reshape"(%391) : (tensor<1x1x4xf32>) -> tensor<4xf32>
    %393 = "stablehlo.broadcast_in_dim"(%109) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    %394 = "stablehlo.multiply"(%387, %393) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %395 = "stablehlo.multiply"(%387, %96) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %396 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %397 = "stablehlo.reduce"(%395, %396) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x6xf32>
    %398 = "stablehlo.reshape"(%397) : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %399 = "stablehlo.broadcast_in_dim"(%107) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x1xf32>
    %400 = "stablehlo.divide"(%398, %106) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %401 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %402 = "stablehlo.reduce"(%400, %401) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>, tensor<f32>) -> tensor<f32>
    %403 = "stablehlo.multiply"(%106, %106) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %404 = "stablehlo.divide"(%399, %403) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %405 = "stablehlo.multiply"(%398, %404) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %406 = "stablehlo.negate"(%405) : (tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %407 = "stablehlo.add"(%358, %402) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %408 = "stablehlo.broadcast_in_dim"(%107) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x1xf32>
    %409 = "stablehlo.divide"(%408, %106) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %410 = "stablehlo.broadcast_in_dim"(%130) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x1xf32>
    %411 = "stablehlo.multiply"(%409, %410) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %412 = "stablehlo.multiply"(%406, %411) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %413 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %414 = "stablehlo.reduce"(%412, %413) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>, tensor<f32>) -> tensor<f32>
    %415 = "stablehlo.add"(%312, %414) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %416 = "stablehlo.reshape"(%412) : (tensor<2x6x1xf32>) -> tensor<2x6xf32>
    %417 = "stablehlo.broadcast_in_dim"(%91) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6xf32>
    %418 = "stablehlo.multiply"(%416, %417) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
    %419 = "stablehlo.multiply"(%416, %99) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
    %420 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %421 = "stablehlo.reduce"(%419, %420) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x6xf32>, tensor<f32>) -> tensor<f32>
    %422 = "stablehlo.add"(%335, %421) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %423 = "stablehlo.reshape"(%418) : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %424 = "stablehlo.broadcast_in_dim"(%423) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    %425 = "stablehlo.multiply"(%424, %96) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %426 = "stablehlo.multiply"(%424, %96) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %427 = "stablehlo.add"(%394, %425) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %428 = "stablehlo.add"(%427, %426) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %429 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %430 = "stablehlo.reduce"(%428, %429) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x6xf32>
    %431 = "stablehlo.reshape"(%430) : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %432 = "stablehlo.negate"(%431) : (tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %433 = "stablehlo.reshape"(%432) : (tensor<2x6x1xf32>) -> tensor<2x6xf32>
    %434 = "stablehlo.broadcast_in_dim"(%91) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6xf32>
    %435 = "stablehlo.multiply"(%433, %434) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
    %436 = "stablehlo.multiply"(%433, %90) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
    %437 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %438 = "stablehlo.reduce"(%436, %437) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x6xf32>, tensor<f32>) -> tensor<f32>
    %439 = "stablehlo.add"(%422, %438) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %440 = "stablehlo.reshape"(%435) : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %441 = "stablehlo.broadcast_in_dim"(%440) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    %442 = "stablehlo.add"(%428, %441) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %443 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %444 = "stablehlo.reduce"(%442, %443) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<4xf32>
    %445 = "stablehlo.reshape"(%444) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    %446 = "stablehlo.reshape"(%445) : (tensor<1x1x4xf32>) -> tensor<4xf32>
    %447 = "stablehlo.reshape"(%442) : (tensor<2x6x4xf32>) -> tensor<12x4xf32>
    %448 = "stablehlo.dot_general"(%447, %70) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0] } : (tensor<12x4xf32>, tensor<4x8xf32>) -> tensor<12x8xf32>
    %449 = "stablehlo.transpose"(%448) { permutation = array<i64: 0, 1> } : (tensor<12x8xf32>) -> tensor<12x8xf32>
    %450 = "stablehlo.dot_general"(%447, %82) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [0] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0] } : (tensor<12x4xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    %451 = "stablehlo.transpose"(%450) { permutation = array<i64: 0, 1> } : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %452 = "stablehlo.reshape"(%449) : (tensor<12x8xf32>) -> tensor<2x6x8xf32>
    %453 = "stablehlo.reshape"(%452) : (tensor<2x6x8xf32>) -> tensor<2x2x3x2x4xf32>
    %454 = "stablehlo.transpose"(%453) { permutation = array<i64: 3, 2, 0, 1, 4> } : (tensor<2x2x3x2x4xf32>) -> tensor<2x3x2x2x4xf32>
    %455 = "stablehlo.dot_general"(%454, %78) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [0] lhs_contracting_dimensions = [2, 3, 4] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [1] rhs_contracting_dimensions = [0, 2, 4] } : (tensor<2x3x2x2x4xf32>, tensor<2x2x2x3x4xf32>) -> tensor<2x3x3xf32>
    %456 = "stablehlo.transpose"(%455) { permutation = array<i64: 0, 1, 2> } : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %457 = "stablehlo.dot_general"(%454, %67) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [0] lhs_contracting_dimensions = [1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [0] rhs_contracting_dimensions = [1] } : (tensor<2x3x2x2x4xf32>, tensor<2x3x3xf32>) -> tensor<2x2x2x4x3xf32>
    %458 = "stablehlo.transpose"(%457) { permutation = array<i64: 1, 0, 2, 4, 3> } : (tensor<2x2x2x4x3xf32>) -> tensor<2x2x2x3x4xf32>
    %459 = "stablehlo.transpose"(%458) { permutation = array<i64: 1, 2, 0, 3, 4> } : (tensor<2x2x2x3x4xf32>) -> tensor<2x2x2x3x4xf32>
    %460 = "stablehlo.dot_general"(%459, %76) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [2, 3, 4] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0, 2, 3] } : (tensor<2x2x2x3x4xf32>, tensor<2x2x3x4xf32>) -> tensor<2x2x2xf32>
    %461 = "stablehlo.transpose"(%460) { permutation = array<i64: 0, 1, 2> } : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %462 = "stablehlo.dot_general"(%459, %42) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [0, 1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0, 1] } : (tensor<2x2x2x3x4xf32>, tensor<2x2x2xf32>) -> tensor<2x3x4x2xf32>
    %463 = "stablehlo.transpose"(%462) { permutation = array<i64: 0, 3, 1, 2> } : (tensor<2x3x4x2xf32>) -> tensor<2x2x3x4xf32>
    %464 = "stablehlo.reshape"(%463) : (tensor<2x2x3x4xf32>) -> tensor<2x6x4xf32>
    %465 = "stablehlo.reshape"(%446) : (tensor<4xf32>) -> tensor<1x4xf32>
    %466 = "stablehlo.dot_general"(%465, %in6) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0] } : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
    %467 = "stablehlo.transpose"(%466) { permutation = array<i64: 0, 1> } : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %468 = "stablehlo.dot_general"(%465, %71) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [0] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0] } : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
    %469 = "stablehlo.transpose"(%468) { permutation = array<i64: 0, 1> } : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %470 = "stablehlo.reshape"(%467) : (tensor<1x4xf32>) -> tensor<4xf32>
    %471 = "stablehlo.reshape"(%451) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %472 = "stablehlo.dot_general"(%471, %68) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [1] } : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
    %473 = "stablehlo.transpose"(%472) { permutation = array<i64: 0, 1> } : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %474 = "stablehlo.dot_general"(%471, %in6) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [0] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0] } : (tensor<4x8xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    %475 = "stablehlo.transpose"(%474) { permutation = array<i64: 1, 0> } : (tensor<8x4xf32>) -> tensor<4x8xf32>
    %476 = "stablehlo.add"(%469, %473) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %477 = "stablehlo.reshape"(%475) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %478 = "stablehlo.broadcast_in_dim"(%65) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x3x1xf32>) -> tensor<2x3x3xf32>
    %479 = "stablehlo.divide"(%456, %478) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %480 = "stablehlo.multiply"(%478, %478) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %481 = "stablehlo.divide"(%62, %480) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %482 = "stablehlo.multiply"(%456, %481) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %483 = "stablehlo.negate"(%482) : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %484 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %485 = "stablehlo.reduce"(%483, %484) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x3x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %486 = "stablehlo.reshape"(%485) : (tensor<2x3xf32>) -> tensor<2x3x1xf32>
    %487 = "stablehlo.reshape"(%486) : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
    %488 = "stablehlo.reshape"(%487) : (tensor<2x3xf32>) -> tensor<2x3x1xf32>
    %489 = "stablehlo.broadcast_in_dim"(%488) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x3x1xf32>) -> tensor<2x3x3xf32>
    %490 = "stablehlo.add"(%479, %489) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %491 = "stablehlo.multiply"(%490, %62) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %492 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %493 = "stablehlo.reduce"(%491, %492) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x3x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %494 = "stablehlo.reshape"(%493) : (tensor<2x3xf32>) -> tensor<2x3x1xf32>
    %495 = "stablehlo.negate"(%494) : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
    %496 = "stablehlo.broadcast_in_dim"(%27) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x3x3xf32>
    %497 = "stablehlo.multiply"(%491, %496) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %498 = "stablehlo.multiply"(%491, %54) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %499 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %500 = "stablehlo.reduce"(%498, %499) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1, 2> } : (tensor<2x3x3xf32>, tensor<f32>) -> tensor<f32>
    %501 = "stablehlo.multiply"(%497, %53) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %502 = "stablehlo.multiply"(%497, %53) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %503 = "stablehlo.add"(%501, %502) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %504 = "stablehlo.broadcast_in_dim"(%51) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x1x1xf32>) -> tensor<2x3x3xf32>
    %505 = "stablehlo.multiply"(%503, %504) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %506 = "stablehlo.multiply"(%503, %50) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %507 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %508 = "stablehlo.reduce"(%506, %507) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 1, 2> } : (tensor<2x3x3xf32>, tensor<f32>) -> tensor<2xf32>
    %509 = "stablehlo.reshape"(%508) : (tensor<2xf32>) -> tensor<2x1x1xf32>
    %510 = "stablehlo.reshape"(%509) : (tensor<2x1x1xf32>) -> tensor<2xf32>
    %511 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %512 = "stablehlo.reduce"(%505, %511) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<2x3x3xf32>, tensor<f32>) -> tensor<3x3xf32>
    %513 = "stablehlo.reshape"(%512) : (tensor<3x3xf32>) -> tensor<1x3x3xf32>
    %514 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %515 = "stablehlo.reduce"(%505, %514) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 1, 2> } : (tensor<2x3x3xf32>, tensor<f32>) -> tensor<2xf32>
    %516 = "stablehlo.reshape"(%515) : (tensor<2xf32>) -> tensor<2x1x1xf32>
    %517 = "stablehlo.negate"(%516) : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
    %518 = "stablehlo.reshape"(%517) : (tensor<2x1x1xf32>) -> tensor<2x1xf32>
    %519 = "stablehlo.pad"(%518, %208) { edge_padding_high = array<i64: 0, 0> edge_padding_low = array<i64: 0, 1> interior_padding = array<i64: 0, 0> } : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x2xf32>
    %520 = "stablehlo.broadcast_in_dim"(%40) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x2x1xf32>) -> tensor<2x2x2xf32>
    %521 = "stablehlo.divide"(%461, %520) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %522 = "stablehlo.multiply"(%520, %520) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %523 = "stablehlo.divide"(%36, %522) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %524 = "stablehlo.multiply"(%461, %523) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %525 = "stablehlo.negate"(%524) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %526 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %527 = "stablehlo.reduce"(%525, %526) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
    %528 = "stablehlo.reshape"(%527) : (tensor<2x2xf32>) -> tensor<2x2x1xf32>
    %529 = "stablehlo.reshape"(%528) : (tensor<2x2x1xf32>) -> tensor<2x2xf32>
    %530 = "stablehlo.reshape"(%529) : (tensor<2x2xf32>) -> tensor<2x2x1xf32>
    %531 = "stablehlo.broadcast_in_dim"(%530) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x2x1xf32>) -> tensor<2x2x2xf32>
    %532 = "stablehlo.add"(%521, %531) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %533 = "stablehlo.multiply"(%532, %36) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %534 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %535 = "stablehlo.reduce"(%533, %534) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
    %536 = "stablehlo.reshape"(%535) : (tensor<2x2xf32>) -> tensor<2x2x1xf32>
    %537 = "stablehlo.negate"(%536) : (tensor<2x2x1xf32>) -> tensor<2x2x1xf32>
    %538 = "stablehlo.broadcast_in_dim"(%27) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x2x2xf32>
    %539 = "stablehlo.multiply"(%533, %538) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %540 = "stablehlo.multiply"(%533, %26) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %541 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %542 = "stablehlo.reduce"(%540, %541) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1, 2> } : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<f32>
    %543 = "stablehlo.add"(%500, %542) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %544 = "stablehlo.multiply"(%539, %25) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %545 = "stablehlo.multiply"(%539, %25) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %546 = "stablehlo.add"(%544, %545) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %547 = "stablehlo.broadcast_in_dim"(%23) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x1x1xf32>) -> tensor<2x2x2xf32>
    %548 = "stablehlo.multiply"(%546, %547) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %549 = "stablehlo.multiply"(%546, %22) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %550 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %551 = "stablehlo.reduce"(%549, %550) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 1, 2> } : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2xf32>
    %552 = "stablehlo.reshape"(%551) : (tensor<2xf32>) -> tensor<2x1x1xf32>
    %553 = "stablehlo.reshape"(%552) : (tensor<2x1x1xf32>) -> tensor<2xf32>
    %554 = "stablehlo.add"(%510, %553) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %555 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %556 = "stablehlo.reduce"(%548, %555) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
    %557 = "stablehlo.reshape"(%556) : (tensor<2x2xf32>) -> tensor<1x2x2xf32>
    %558 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %559 = "stablehlo.reduce"(%548, %558) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 1, 2> } : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2xf32>
    %560 = "stablehlo.reshape"(%559) : (tensor<2xf32>) -> tensor<2x1x1xf32>
    %561 = "stablehlo.negate"(%560) : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
    %562 = "stablehlo.reshape"(%561) : (tensor<2x1x1xf32>) -> tensor<2x1xf32>
    %563 = "stablehlo.pad"(%562, %208) { edge_padding_high = array<i64: 0, 1> edge_padding_low = array<i64: 0, 0> interior_padding = array<i64: 0, 0> } : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x2xf32>
    %564 = "stablehlo.add"(%519, %563) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %565 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %566 = "stablehlo.reduce"(%464, %565) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<4xf32>
    %567 = "stablehlo.reshape"(%566) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    %568 = "stablehlo.reshape"(%567) : (tensor<1x1x4xf32>) -> tensor<4xf32>
    %569 = "stablehlo.reshape"(%464) : (tensor<2x6x4xf32>) -> tensor<12x4xf32>
    %570 = "stablehlo.dot_general"(%569, %in0) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0] } : (tensor<12x4xf32>, tensor<4x12xf32>) -> tensor<12x12xf32>
    %571 = "stablehlo.transpose"(%570) { permutation = array<i64: 0, 1> } : (tensor<12x12xf32>) -> tensor<12x12xf32>
    %572 = "stablehlo.dot_general"(%569, %9) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [0] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0] } : (tensor<12x4xf32>, tensor<12x12xf32>) -> tensor<4x12xf32>
    %573 = "stablehlo.transpose"(%572) { permutation = array<i64: 0, 1> } : (tensor<4x12xf32>) -> tensor<4x12xf32>
    %574 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %575 = "stablehlo.reduce"(%442, %574) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<4xf32>
    %576 = "stablehlo.reshape"(%575) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    %577 = "stablehlo.reshape"(%576) : (tensor<1x1x4xf32>) -> tensor<4xf32>
    %578 = "stablehlo.add"(%568, %577) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %579 = "stablehlo.reshape"(%442) : (tensor<2x6x4xf32>) -> tensor<12x4xf32>
    %580 = "stablehlo.dot_general"(%579, %in0) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0] } : (tensor<12x4xf32>, tensor<4x12xf32>) -> tensor<12x12xf32>
    %581 = "stablehlo.transpose"(%580) { permutation = array<i64: 0, 1> } : (tensor<12x12xf32>) -> tensor<12x12xf32>
    %582 = "stablehlo.dot_general"(%579, %3) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [0] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0] } : (tensor<12x4xf32>, tensor<12x12xf32>) -> tensor<4x12xf32>
    %583 = "stablehlo.transpose"(%582) { permutation = array<i64: 0, 1> } : (tensor<4x12xf32>) -> tensor<4x12xf32>
    %584 = "stablehlo.add"(%573, %583) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %585 = "stablehlo.multiply"(%584, %584) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %586 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %587 = "stablehlo.reduce"(%585, %586) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<4x12xf32>, tensor<f32>) -> tensor<f32>
    %588 = "stablehlo.multiply"(%578, %578) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %589 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %590 = "stablehlo.reduce"(%588, %589) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %591 = "stablehlo.add"(%587, %590) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %592 = "stablehlo.multiply"(%564, %564) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %593 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %594 = "stablehlo.reduce"(%592, %593) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x2xf32>, tensor<f32>) -> tensor<f32>
    %595 = "stablehlo.add"(%591, %594) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %596 = "stablehlo.multiply"(%554, %554) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %597 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %598 = "stablehlo.reduce"(%596, %597) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    %599 = "stablehlo.add"(%595, %598) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %600 = "stablehlo.multiply"(%477, %477) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %601 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %602 = "stablehlo.reduce"(%600, %601) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    %603 = "stablehlo.add"(%599, %602) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %604 = "stablehlo.multiply"(%470, %470) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %605 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %606 = "stablehlo.reduce"(%604, %605) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %607 = "stablehlo.add"(%603, %606) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %608 = "stablehlo.multiply"(%476, %476) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %609 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %610 = "stablehlo.reduce"(%608, %609) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
    %611 = "stablehlo.add"(%607, %610) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %612 = "stablehlo.multiply"(%446, %446) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %613 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %614 = "stablehlo.reduce"(%612, %613) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %615 = "stablehlo.add"(%611, %614) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %616 = "stablehlo.multiply"(%392, %392) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %617 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %618 = "stablehlo.reduce"(%616, %617) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %619 = "stablehlo.add"(%615, %618) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %620 = "stablehlo.multiply"(%386, %386) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %621 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %622 = "stablehlo.reduce"(%620, %621) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %623 = "stablehlo.add"(%619, %622) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %624 = "stablehlo.multiply"(%380, %380) : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
    %625 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %626 = "stablehlo.reduce"(%624, %625) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<6x4xf32>, tensor<f32>) -> tensor<f32>
    %627 = "stablehlo.add"(%623, %626) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %628 = "stablehlo.multiply"(%375, %375) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %629 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %630 = "stablehlo.reduce"(%628, %629) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %631 = "stablehlo.add"(%627, %630) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %632 = "stablehlo.multiply"(%347, %347) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %633 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %634 = "stablehlo.reduce"(%632, %633) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %635 = "stablehlo.add"(%631, %634) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %636 = "stablehlo.multiply"(%342, %342) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %637 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %638 = "stablehlo.reduce"(%636, %637) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %639 = "stablehlo.add"(%635, %638) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %640 = "stablehlo.multiply"(%291, %291) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %641 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %642 = "stablehlo.reduce"(%640, %641) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %643 = "stablehlo.add"(%639, %642) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %644 = "stablehlo.multiply"(%285, %285) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %645 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %646 = "stablehlo.reduce"(%644, %645) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %647 = "stablehlo.add"(%643, %646) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %648 = "stablehlo.multiply"(%272, %272) : (tensor<10x4xf32>, tensor<10x4xf32>) -> tensor<10x4xf32>
    %649 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %650 = "stablehlo.reduce"(%648, %649) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<10x4xf32>, tensor<f32>) -> tensor<f32>
    %651 = "stablehlo.add"(%647, %650) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %652 = "stablehlo.multiply"(%267, %267) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %653 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %654 = "stablehlo.reduce"(%652, %653) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %37 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<10xf32>, tensor<f32>) -> tensor<f32>
    %655 = "stablehlo.add"(%651, %654) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %656 = "stablehlo.sqrt"(%655) : (tensor<f32>) -> tensor<f32>
    %657 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 1> start_indices = array<i64: 0, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %658 = "stablehlo.reshape"(%657) : (tensor<1x1xf32>) -> tensor<f32>
    %659 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 2> start_indices = array<i64: 0, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %660 = "stablehlo.reshape"(%659) : (tensor<1x1xf32>) -> tensor<f32>
    %661 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 3> start_indices = array<i64: 0, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %662 = "stablehlo.reshape"(%661) : (tensor<1x1xf32>) -> tensor<f32>
    %663 = "stablehlo.broadcast_in_dim"(%660) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4x12xf32>
    %664 = "stablehlo.multiply"(%in18, %663) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %665 = "stablehlo.broadcast_in_dim"(%662) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4x12xf32>
    %666 = "stablehlo.multiply"(%in0, %665) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %667 = "stablehlo.add"(%584, %666) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %668 = "stablehlo.add"(%664, %667) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %669 = "stablehlo.broadcast_in_dim"(%658) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4x12xf32>
    %670 = "stablehlo.multiply"(%668, %669) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %671 = "stablehlo.subtract"(%in0, %670) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %672 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 1> start_indices = array<i64: 1, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %673 = "stablehlo.reshape"(%672) : (tensor<1x1xf32>) -> tensor<f32>
    %674 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 2> start_indices = array<i64: 1, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %675 = "stablehlo.reshape"(%674) : (tensor<1x1xf32>) -> tensor<f32>
    %676 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 3> start_indices = array<i64: 1, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %677 = "stablehlo.reshape"(%676) : (tensor<1x1xf32>) -> tensor<f32>
    %678 = "stablehlo.broadcast_in_dim"(%675) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    %679 = "stablehlo.multiply"(%in19, %678) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %680 = "stablehlo.broadcast_in_dim"(%677) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    %681 = "stablehlo.multiply"(%in1, %680) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %682 = "stablehlo.add"(%578, %681) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %683 = "stablehlo.add"(%679, %682) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %684 = "stablehlo.broadcast_in_dim"(%673) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    %685 = "stablehlo.multiply"(%683, %684) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %686 = "stablehlo.subtract"(%in1, %685) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %687 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 3, 1> start_indices = array<i64: 2, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %688 = "stablehlo.reshape"(%687) : (tensor<1x1xf32>) -> tensor<f32>
    %689 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 3, 2> start_indices = array<i64: 2, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %690 = "stablehlo.reshape"(%689) : (tensor<1x1xf32>) -> tensor<f32>
    %691 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 3, 3> start_indices = array<i64: 2, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %692 = "stablehlo.reshape"(%691) : (tensor<1x1xf32>) -> tensor<f32>
    %693 = "stablehlo.broadcast_in_dim"(%690) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x2xf32>
    %694 = "stablehlo.multiply"(%in20, %693) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %695 = "stablehlo.broadcast_in_dim"(%692) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x2xf32>
    %696 = "stablehlo.multiply"(%in2, %695) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %697 = "stablehlo.add"(%564, %696) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %698 = "stablehlo.add"(%694, %697) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %699 = "stablehlo.broadcast_in_dim"(%688) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x2xf32>
    %700 = "stablehlo.multiply"(%698, %699) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %701 = "stablehlo.subtract"(%in2, %700) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %702 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 3, 1> start_indices = array<i64: 2, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %703 = "stablehlo.reshape"(%702) : (tensor<1x1xf32>) -> tensor<f32>
    %704 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 3, 2> start_indices = array<i64: 2, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %705 = "stablehlo.reshape"(%704) : (tensor<1x1xf32>) -> tensor<f32>
    %706 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 3, 3> start_indices = array<i64: 2, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %707 = "stablehlo.reshape"(%706) : (tensor<1x1xf32>) -> tensor<f32>
    %708 = "stablehlo.broadcast_in_dim"(%705) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2xf32>
    %709 = "stablehlo.multiply"(%in21, %708) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %710 = "stablehlo.broadcast_in_dim"(%707) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2xf32>
    %711 = "stablehlo.multiply"(%in3, %710) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %712 = "stablehlo.add"(%554, %711) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %713 = "stablehlo.add"(%709, %712) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %714 = "stablehlo.broadcast_in_dim"(%703) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2xf32>
    %715 = "stablehlo.multiply"(%713, %714) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %716 = "stablehlo.subtract"(%in3, %715) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %717 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 1> start_indices = array<i64: 0, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %718 = "stablehlo.reshape"(%717) : (tensor<1x1xf32>) -> tensor<f32>
    %719 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 2> start_indices = array<i64: 0, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %720 = "stablehlo.reshape"(%719) : (tensor<1x1xf32>) -> tensor<f32>
    %721 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 3> start_indices = array<i64: 0, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %722 = "stablehlo.reshape"(%721) : (tensor<1x1xf32>) -> tensor<f32>
    %723 = "stablehlo.broadcast_in_dim"(%720) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4x8xf32>
    %724 = "stablehlo.multiply"(%in22, %723) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %725 = "stablehlo.broadcast_in_dim"(%722) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4x8xf32>
    %726 = "stablehlo.multiply"(%in4, %725) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %727 = "stablehlo.add"(%477, %726) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %728 = "stablehlo.add"(%724, %727) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %729 = "stablehlo.broadcast_in_dim"(%718) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4x8xf32>
    %730 = "stablehlo.multiply"(%728, %729) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %731 = "stablehlo.subtract"(%in4, %730) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %732 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 1> start_indices = array<i64: 1, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %733 = "stablehlo.reshape"(%732) : (tensor<1x1xf32>) -> tensor<f32>
    %734 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 2> start_indices = array<i64: 1, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %735 = "stablehlo.reshape"(%734) : (tensor<1x1xf32>) -> tensor<f32>
    %736 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 3> start_indices = array<i64: 1, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %737 = "stablehlo.reshape"(%736) : (tensor<1x1xf32>) -> tensor<f32>
    %738 = "stablehlo.broadcast_in_dim"(%735) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    %739 = "stablehlo.multiply"(%in23, %738) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %740 = "stablehlo.broadcast_in_dim"(%737) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    %741 = "stablehlo.multiply"(%in5, %740) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %742 = "stablehlo.add"(%470, %741) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %743 = "stablehlo.add"(%739, %742) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %744 = "stablehlo.broadcast_in_dim"(%733) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    %745 = "stablehlo.multiply"(%743, %744) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %746 = "stablehlo.subtract"(%in5, %745) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %747 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 1> start_indices = array<i64: 0, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %748 = "stablehlo.reshape"(%747) : (tensor<1x1xf32>) -> tensor<f32>
    %749 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 2> start_indices = array<i64: 0, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %750 = "stablehlo.reshape"(%749) : (tensor<1x1xf32>) -> tensor<f32>
    %751 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 3> start_indices = array<i64: 0, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %752 = "stablehlo.reshape"(%751) : (tensor<1x1xf32>) -> tensor<f32>
    %753 = "stablehlo.broadcast_in_dim"(%750) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4x4xf32>
    %754 = "stablehlo.multiply"(%in24, %753) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %755 = "stablehlo.broadcast_in_dim"(%752) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4x4xf32>
    %756 = "stablehlo.multiply"(%in6, %755) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %757 = "stablehlo.add"(%476, %756) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %758 = "stablehlo.add"(%754, %757) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %759 = "stablehlo.broadcast_in_dim"(%748) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4x4xf32>
    %760 = "stablehlo.multiply"(%758, %759) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %761 = "stablehlo.subtract"(%in6, %760) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %762 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 1> start_indices = array<i64: 1, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %763 = "stablehlo.reshape"(%762) : (tensor<1x1xf32>) -> tensor<f32>
    %764 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 2> start_indices = array<i64: 1, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %765 = "stablehlo.reshape"(%764) : (tensor<1x1xf32>) -> tensor<f32>
    %766 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 3> start_indices = array<i64: 1, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %767 = "stablehlo.reshape"(%766) : (tensor<1x1xf32>) -> tensor<f32>
    %768 = "stablehlo.broadcast_in_dim"(%765) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    %769 = "stablehlo.multiply"(%in25, %768) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %770 = "stablehlo.broadcast_in_dim"(%767) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    %771 = "stablehlo.multiply"(%in7, %770) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %772 = "stablehlo.add"(%446, %771) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %773 = "stablehlo.add"(%769, %772) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %774 = "stablehlo.broadcast_in_dim"(%763) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    %775 = "stablehlo.multiply"(%773, %774) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %776 = "stablehlo.subtract"(%in7, %775) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %777 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 1> start_indices = array<i64: 1, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %778 = "stablehlo.reshape"(%777) : (tensor<1x1xf32>) -> tensor<f32>
    %779 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 2> start_indices = array<i64: 1, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %780 = "stablehlo.reshape"(%779) : (tensor<1x1xf32>) -> tensor<f32>
    %781 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 3> start_indices = array<i64: 1, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %782 = "stablehlo.reshape"(%781) : (tensor<1x1xf32>) -> tensor<f32>
    %783 = "stablehlo.broadcast_in_dim"(%780) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    %784 = "stablehlo.multiply"(%in26, %783) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %785 = "stablehlo.broadcast_in_dim"(%782) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    %786 = "stablehlo.multiply"(%in8, %785) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %787 = "stablehlo.add"(%392, %786) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %788 = "stablehlo.add"(%784, %787) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %789 = "stablehlo.broadcast_in_dim"(%778) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    %790 = "stablehlo.multiply"(%788, %789) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %791 = "stablehlo.subtract"(%in8, %790) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %792 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 1> start_indices = array<i64: 1, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %793 = "stablehlo.reshape"(%792) : (tensor<1x1xf32>) -> tensor<f32>
    %794 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 2> start_indices = array<i64: 1, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %795 = "stablehlo.reshape"(%794) : (tensor<1x1xf32>) -> tensor<f32>
    %796 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 3> start_indices = array<i64: 1, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %797 = "stablehlo.reshape"(%796) : (tensor<1x1xf32>) -> tensor<f32>
    %798 = "stablehlo.broadcast_in_dim"(%795) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    %799 = "stablehlo.multiply"(%in27, %798) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %800 = "stablehlo.broadcast_in_dim"(%797) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    %801 = "stablehlo.multiply"(%in9, %800) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %802 = "stablehlo.add"(%386, %801) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %803 = "stablehlo.add"(%799, %802) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %804 = "stablehlo.broadcast_in_dim"(%793) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    %805 = "stablehlo.multiply"(%803, %804) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %806 = "stablehlo.subtract"(%in9, %805) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %807 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 1> start_indices = array<i64: 0, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %808 = "stablehlo.reshape"(%807) : (tensor<1x1xf32>) -> tensor<f32>
    %809 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 2> start_indices = array<i64: 0, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %810 = "stablehlo.reshape"(%809) : (tensor<1x1xf32>) -> tensor<f32>
    %811 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 3> start_indices = array<i64: 0, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %812 = "stablehlo.reshape"(%811) : (tensor<1x1xf32>) -> tensor<f32>
    %813 = "stablehlo.broadcast_in_dim"(%810) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<6x4xf32>
    %814 = "stablehlo.multiply"(%in28, %813) : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
    %815 = "stablehlo.broadcast_in_dim"(%812) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<6x4xf32>
    %816 = "stablehlo.multiply"(%in10, %815) : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
    %817 = "stablehlo.add"(%380, %816) : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
    %818 = "stablehlo.add"(%814, %817) : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
    %819 = "stablehlo.broadcast_in_dim"(%808) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<6x4xf32>
    %820 = "stablehlo.multiply"(%818, %819) : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
    %821 = "stablehlo.subtract"(%in10, %820) : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
    %822 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 1> start_indices = array<i64: 1, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %823 = "stablehlo.reshape"(%822) : (tensor<1x1xf32>) -> tensor<f32>
    %824 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 2> start_indices = array<i64: 1, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %825 = "stablehlo.reshape"(%824) : (tensor<1x1xf32>) -> tensor<f32>
    %826 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 3> start_indices = array<i64: 1, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %827 = "stablehlo.reshape"(%826) : (tensor<1x1xf32>) -> tensor<f32>
    %828 = "stablehlo.broadcast_in_dim"(%825) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<6xf32>
    %829 = "stablehlo.multiply"(%in29, %828) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %830 = "stablehlo.broadcast_in_dim"(%827) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<6xf32>
    %831 = "stablehlo.multiply"(%in11, %830) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %832 = "stablehlo.add"(%375, %831) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %833 = "stablehlo.add"(%829, %832) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %834 = "stablehlo.broadcast_in_dim"(%823) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<6xf32>
    %835 = "stablehlo.multiply"(%833, %834) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %836 = "stablehlo.subtract"(%in11, %835) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %837 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 1> start_indices = array<i64: 0, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %838 = "stablehlo.reshape"(%837) : (tensor<1x1xf32>) -> tensor<f32>
    %839 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 2> start_indices = array<i64: 0, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %840 = "stablehlo.reshape"(%839) : (tensor<1x1xf32>) -> tensor<f32>
    %841 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 3> start_indices = array<i64: 0, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %842 = "stablehlo.reshape"(%841) : (tensor<1x1xf32>) -> tensor<f32>
    %843 = "stablehlo.broadcast_in_dim"(%840) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4x6xf32>
    %844 = "stablehlo.multiply"(%in30, %843) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %845 = "stablehlo.broadcast_in_dim"(%842) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4x6xf32>
    %846 = "stablehlo.multiply"(%in12, %845) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %847 = "stablehlo.add"(%347, %846) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %848 = "stablehlo.add"(%844, %847) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %849 = "stablehlo.broadcast_in_dim"(%838) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4x6xf32>
    %850 = "stablehlo.multiply"(%848, %849) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %851 = "stablehlo.subtract"(%in12, %850) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %852 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 1> start_indices = array<i64: 1, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %853 = "stablehlo.reshape"(%852) : (tensor<1x1xf32>) -> tensor<f32>
    %854 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 2> start_indices = array<i64: 1, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %855 = "stablehlo.reshape"(%854) : (tensor<1x1xf32>) -> tensor<f32>
    %856 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 3> start_indices = array<i64: 1, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %857 = "stablehlo.reshape"(%856) : (tensor<1x1xf32>) -> tensor<f32>
    %858 = "stablehlo.broadcast_in_dim"(%855) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    %859 = "stablehlo.multiply"(%in31, %858) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %860 = "stablehlo.broadcast_in_dim"(%857) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    %861 = "stablehlo.multiply"(%in13, %860) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %862 = "stablehlo.add"(%342, %861) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %863 = "stablehlo.add"(%859, %862) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %864 = "stablehlo.broadcast_in_dim"(%853) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    %865 = "stablehlo.multiply"(%863, %864) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %866 = "stablehlo.subtract"(%in13, %865) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %867 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 1> start_indices = array<i64: 1, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %868 = "stablehlo.reshape"(%867) : (tensor<1x1xf32>) -> tensor<f32>
    %869 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 2> start_indices = array<i64: 1, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %870 = "stablehlo.reshape"(%869) : (tensor<1x1xf32>) -> tensor<f32>
    %871 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 3> start_indices = array<i64: 1, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %872 = "stablehlo.reshape"(%871) : (tensor<1x1xf32>) -> tensor<f32>
    %873 = "stablehlo.broadcast_in_dim"(%870) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    %874 = "stablehlo.multiply"(%in32, %873) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %875 = "stablehlo.broadcast_in_dim"(%872) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    %876 = "stablehlo.multiply"(%in14, %875) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %877 = "stablehlo.add"(%291, %876) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %878 = "stablehlo.add"(%874, %877) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %879 = "stablehlo.broadcast_in_dim"(%868) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    %880 = "stablehlo.multiply"(%878, %879) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %881 = "stablehlo.subtract"(%in14, %880) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %882 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 1> start_indices = array<i64: 1, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %883 = "stablehlo.reshape"(%882) : (tensor<1x1xf32>) -> tensor<f32>
    %884 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 2> start_indices = array<i64: 1, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %885 = "stablehlo.reshape"(%884) : (tensor<1x1xf32>) -> tensor<f32>
    %886 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 3> start_indices = array<i64: 1, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %887 = "stablehlo.reshape"(%886) : (tensor<1x1xf32>) -> tensor<f32>
    %888 = "stablehlo.broadcast_in_dim"(%885) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    %889 = "stablehlo.multiply"(%in33, %888) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %890 = "stablehlo.broadcast_in_dim"(%887) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    %891 = "stablehlo.multiply"(%in15, %890) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %892 = "stablehlo.add"(%285, %891) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %893 = "stablehlo.add"(%889, %892) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %894 = "stablehlo.broadcast_in_dim"(%883) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    %895 = "stablehlo.multiply"(%893, %894) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %896 = "stablehlo.subtract"(%in15, %895) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %897 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 1> start_indices = array<i64: 0, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %898 = "stablehlo.reshape"(%897) : (tensor<1x1xf32>) -> tensor<f32>
    %899 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 2> start_indices = array<i64: 0, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %900 = "stablehlo.reshape"(%899) : (tensor<1x1xf32>) -> tensor<f32>
    %901 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 3> start_indices = array<i64: 0, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %902 = "stablehlo.reshape"(%901) : (tensor<1x1xf32>) -> tensor<f32>
    %903 = "stablehlo.broadcast_in_dim"(%900) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<10x4xf32>
    %904 = "stablehlo.multiply"(%in34, %903) : (tensor<10x4xf32>, tensor<10x4xf32>) -> tensor<10x4xf32>
    %905 = "stablehlo.broadcast_in_dim"(%902) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<10x4xf32>
    %906 = "stablehlo.multiply"(%in16, %905) : (tensor<10x4xf32>, tensor<10x4xf32>) -> tensor<10x4xf32>
    %907 = "stablehlo.add"(%272, %906) : (tensor<10x4xf32>, tensor<10x4xf32>) -> tensor<10x4xf32>
    %908 = "stablehlo.add"(%904, %907) : (tensor<10x4xf32>, tensor<10x4xf32>) -> tensor<10x4xf32>
    %909 = "stablehlo.broadcast_in_dim"(%898) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<10x4xf32>
    %910 = "stablehlo.multiply"(%908, %909) : (tensor<10x4xf32>, tensor<10x4xf32>) -> tensor<10x4xf32>
    %911 = "stablehlo.subtract"(%in16, %910) : (tensor<10x4xf32>, tensor<10x4xf32>) -> tensor<10x4xf32>
    %912 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 1> start_indices = array<i64: 1, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %913 = "stablehlo.reshape"(%912) : (tensor<1x1xf32>) -> tensor<f32>
    %914 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 2> start_indices = array<i64: 1, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %915 = "stablehlo.reshape"(%914) : (tensor<1x1xf32>) -> tensor<f32>
    %916 = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 3> start_indices = array<i64: 1, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    %917 = "stablehlo.reshape"(%916) : (tensor<1x1xf32>) -> tensor<f32>
    %918 = "stablehlo.broadcast_in_dim"(%915) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<10xf32>
    %919 = "stablehlo.multiply"(%in35, %918) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %920 = "stablehlo.broadcast_in_dim"(%917) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<10xf32>
    %921 = "stablehlo.multiply"(%in17, %920) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %922 = "stablehlo.add"(%267, %921) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %923 = "stablehlo.add"(%919, %922) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %924 = "stablehlo.broadcast_in_dim"(%913) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<10xf32>
    %925 = "stablehlo.multiply"(%923, %924) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %926 = "stablehlo.subtract"(%in17, %925) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %927 = "stablehlo.add"(%233, %656) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %928 = "stablehlo.is_finite"(%927) : (tensor<f32>) -> tensor<i1>
    %929 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4x12xi1>
    %930 = "stablehlo.select"(%929, %671, %in0) : (tensor<4x12xi1>, tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %931 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    %932 = "stablehlo.select"(%931, %686, %in1) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %933 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<2x2xi1>
    %934 = "stablehlo.select"(%933, %701, %in2) : (tensor<2x2xi1>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %935 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<2xi1>
    %936 = "stablehlo.select"(%935, %716, %in3) : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %937 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4x8xi1>
    %938 = "stablehlo.select"(%937, %731, %in4) : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %939 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    %940 = "stablehlo.select"(%939, %746, %in5) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %941 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4x4xi1>
    %942 = "stablehlo.select"(%941, %761, %in6) : (tensor<4x4xi1>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %943 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    %944 = "stablehlo.select"(%943, %776, %in7) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %945 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    %946 = "stablehlo.select"(%945, %791, %in8) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %947 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    %948 = "stablehlo.select"(%947, %806, %in9) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %949 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<6x4xi1>
    %950 = "stablehlo.select"(%949, %821, %in10) : (tensor<6x4xi1>, tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
    %951 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<6xi1>
    %952 = "stablehlo.select"(%951, %836, %in11) : (tensor<6xi1>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %953 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4x6xi1>
    %954 = "stablehlo.select"(%953, %851, %in12) : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %955 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    %956 = "stablehlo.select"(%955, %866, %in13) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %957 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    %958 = "stablehlo.select"(%957, %881, %in14) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %959 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    %960 = "stablehlo.select"(%959, %896, %in15) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %961 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<10x4xi1>
    %962 = "stablehlo.select"(%961, %911, %in16) : (tensor<10x4xi1>, tensor<10x4xf32>, tensor<10x4xf32>) -> tensor<10x4xf32>
    %963 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<10xi1>
    %964 = "stablehlo.select"(%963, %926, %in17) : (tensor<10xi1>, tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %965 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4x12xi1>
    %966 = "stablehlo.select"(%965, %668, %in18) : (tensor<4x12xi1>, tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %967 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    %968 = "stablehlo.select"(%967, %683, %in19) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %969 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<2x2xi1>
    %970 = "stablehlo.select"(%969, %698, %in20) : (tensor<2x2xi1>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %971 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<2xi1>
    %972 = "stablehlo.select"(%971, %713, %in21) : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %973 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4x8xi1>
    %974 = "stablehlo.select"(%973, %728, %in22) : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %975 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    %976 = "stablehlo.select"(%975, %743, %in23) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %977 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4x4xi1>
    %978 = "stablehlo.select"(%977, %758, %in24) : (tensor<4x4xi1>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %979 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    %980 = "stablehlo.select"(%979, %773, %in25) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %981 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    %982 = "stablehlo.select"(%981, %788, %in26) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %983 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    %984 = "stablehlo.select"(%983, %803, %in27) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %985 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<6x4xi1>
    %986 = "stablehlo.select"(%985, %818, %in28) : (tensor<6x4xi1>, tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
    %987 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<6xi1>
    %988 = "stablehlo.select"(%987, %833, %in29) : (tensor<6xi1>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %989 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4x6xi1>
    %990 = "stablehlo.select"(%989, %848, %in30) : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %991 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    %992 = "stablehlo.select"(%991, %863, %in31) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %993 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    %994 = "stablehlo.select"(%993, %878, %in32) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %995 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    %996 = "stablehlo.select"(%995, %893, %in33) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %997 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<10x4xi1>
    %998 = "stablehlo.select"(%997, %908, %in34) : (tensor<10x4xi1>, tensor<10x4xf32>, tensor<10x4xf32>) -> tensor<10x4xf32>
    %999 = "stablehlo.broadcast_in_dim"(%928) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<10xi1>
    %1000 = "stablehlo.select"(%999, %923, %in35) : (tensor<10xi1>, tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %1001 = "stablehlo.reshape"(%233) : (tensor<f32>) -> tensor<1xf32>
    %1002 = "stablehlo.reshape"(%199) : (tensor<f32>) -> tensor<1xf32>
    %1003 = "stablehlo.reshape"(%656) : (tensor<f32>) -> tensor<1xf32>
    %1004 = "stablehlo.concatenate"(%1001, %1002, %1003) { dimension = 0 : i64 } : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3xf32>
    "stablehlo.return"(%930, %932, %934, %936, %938, %940, %942, %944, %946, %948, %950, %952, %954, %956, %958, %960, %962, %964, %966, %968, %970, %972, %974, %976, %978, %980, %982, %984, %986, %988, %990, %992, %994, %996, %998, %1000, %1004) : (tensor<4x12xf32>, tensor<4xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<6x4xf32>, tensor<6xf32>, tensor<4x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<10x4xf32>, tensor<10xf32>, tensor<4x12xf32>, tensor<4xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<6x4xf32>, tensor<6xf32>, tensor<4x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<10x4xf32>, tensor<10xf32>, tensor<3xf32>) -> ()
  }
}
