module @training {
  func.func @main(%in0: tensor<4x12xf32>, %in1: tensor<4xf32>, %in2: tensor<2x2xf32>, %in3: tensor<2xf32>, %in4: tensor<4x8xf32>, %in5: tensor<4xf32>, %in6: tensor<4x4xf32>, %in7: tensor<4xf32>, %in8: tensor<4xf32>, %in9: tensor<4xf32>, %in10: tensor<6x4xf32>, %in11: tensor<6xf32>, %in12: tensor<4x6xf32>, %in13: tensor<4xf32>, %in14: tensor<4xf32>, %in15: tensor<4xf32>, %in16: tensor<10x4xf32>, %in17: tensor<10xf32>, %in18: tensor<4x12xf32>, %in19: tensor<4xf32>, %in20: tensor<2x2xf32>, %in21: tensor<2xf32>, %in22: tensor<4x8xf32>, %in23: tensor<4xf32>, %in24: tensor<4x4xf32>, %in25: tensor<4xf32>, %in26: tensor<4xf32>, %in27: tensor<4xf32>, %in28: tensor<6x4xf32>, %in29: tensor<6xf32>, %in30: tensor<4x6xf32>, %in31: tensor<4xf32>, %in32: tensor<4xf32>, %in33: tensor<4xf32>, %in34: tensor<10x4xf32>, %in35: tensor<10xf32>, %in36: tensor<2x4x6x3xf32>, %in37: tensor<2xi32>, %in38: tensor<2xui32>, %in39: tensor<3x3xf32>) -> (tensor<4x12xf32>, tensor<4xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<6x4xf32>, tensor<6xf32>, tensor<4x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<10x4xf32>, tensor<10xf32>, tensor<4x12xf32>, tensor<4xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<6x4xf32>, tensor<6xf32>, tensor<4x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<10x4xf32>, tensor<10xf32>, tensor<3xf32>) {
    % = "stablehlo.reshape"(%in36) : (tensor<2x4x6x3xf32>) -> tensor<2x2x2x3x2x3xf32>
    % = "stablehlo.transpose"(%-1) { permutation = array<i64: 0, 1, 3, 2, 4, 5> } : (tensor<2x2x2x3x2x3xf32>) -> tensor<2x2x3x2x2x3xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x2x3x2x2x3xf32>) -> tensor<2x6x12xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x6x12xf32>) -> tensor<12x12xf32>
    % = "stablehlo.dot_general"(%-1, %in0) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [1] } : (tensor<12x12xf32>, tensor<4x12xf32>) -> tensor<12x4xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<12x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.reshape"(%in1) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<1x1x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.add"(%-3, %-1) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.iota"() { iota_dimension = 2 : i64 } : () -> tensor<1x2x2xf32>
    % = "stablehlo.iota"() { iota_dimension = 1 : i64 } : () -> tensor<1x2x2xf32>
    % = "stablehlo.subtract"(%-2, %-1) : (tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    % = "stablehlo.slice"(%in2) { limit_indices = array<i64: 2, 1> start_indices = array<i64: 0, 0> strides = array<i64: 1, 1> } : (tensor<2x2xf32>) -> tensor<2x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x1xf32>) -> tensor<2x1x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<1x2x2xf32>) -> tensor<2x2x2xf32>
    % = "stablehlo.broadcast_in_dim"(%-2) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x1x1xf32>) -> tensor<2x2x2xf32>
    % = "stablehlo.subtract"(%-2, %-1) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    % = "stablehlo.reshape"(%in3) : (tensor<2xf32>) -> tensor<2x1x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x1x1xf32>) -> tensor<2x2x2xf32>
    % = "stablehlo.multiply"(%-3, %-1) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    % = "stablehlo.multiply"(%-1, %-1) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    % = "stablehlo.constant"() { value = dense<-0.5> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x2x2xf32>
    % = "stablehlo.multiply"(%-3, %-1) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    % = "stablehlo.constant"() { value = dense<0xff800000> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-3, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.maximum"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%24) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x2xf32>) -> tensor<2x2x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x2x1xf32>) -> tensor<2x2x2xf32>
    % = "stablehlo.subtract"(%-6, %-1) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    % = "stablehlo.exponential"(%-1) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-3, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x2xf32>) -> tensor<2x2x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x2x1xf32>) -> tensor<2x2x2xf32>
    % = "stablehlo.divide"(%-6, %-1) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    % = "stablehlo.iota"() { iota_dimension = 2 : i64 } : () -> tensor<1x3x3xf32>
    % = "stablehlo.iota"() { iota_dimension = 1 : i64 } : () -> tensor<1x3x3xf32>
    % = "stablehlo.subtract"(%-2, %-1) : (tensor<1x3x3xf32>, tensor<1x3x3xf32>) -> tensor<1x3x3xf32>
    % = "stablehlo.slice"(%in2) { limit_indices = array<i64: 2, 2> start_indices = array<i64: 0, 1> strides = array<i64: 1, 1> } : (tensor<2x2xf32>) -> tensor<2x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x1xf32>) -> tensor<2x1x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<1x3x3xf32>) -> tensor<2x3x3xf32>
    % = "stablehlo.broadcast_in_dim"(%-2) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x1x1xf32>) -> tensor<2x3x3xf32>
    % = "stablehlo.subtract"(%-2, %-1) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    % = "stablehlo.reshape"(%in3) : (tensor<2xf32>) -> tensor<2x1x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x1x1xf32>) -> tensor<2x3x3xf32>
    % = "stablehlo.multiply"(%-3, %-1) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    % = "stablehlo.multiply"(%-1, %-1) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    % = "stablehlo.broadcast_in_dim"(%-28) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x3x3xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    % = "stablehlo.constant"() { value = dense<0xff800000> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.maximum"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%24) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x3x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x3xf32>) -> tensor<2x3x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x3x1xf32>) -> tensor<2x3x3xf32>
    % = "stablehlo.subtract"(%-5, %-1) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    % = "stablehlo.exponential"(%-1) : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x3x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x3xf32>) -> tensor<2x3x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x3x1xf32>) -> tensor<2x3x3xf32>
    % = "stablehlo.divide"(%-5, %-1) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    % = "stablehlo.reshape"(%-26) : (tensor<2x2x2xf32>) -> tensor<2x2x1x2x1xf32>
    % = "stablehlo.reshape"(%-2) : (tensor<2x3x3xf32>) -> tensor<2x1x3x1x3xf32>
    % = "stablehlo.broadcast_in_dim"(%-2) { broadcast_dimensions = array<i64: 0, 1, 2, 3, 4> } : (tensor<2x2x1x2x1xf32>) -> tensor<2x2x3x2x3xf32>
    % = "stablehlo.broadcast_in_dim"(%-2) { broadcast_dimensions = array<i64: 0, 1, 2, 3, 4> } : (tensor<2x1x3x1x3xf32>) -> tensor<2x2x3x2x3xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<2x2x3x2x3xf32>, tensor<2x2x3x2x3xf32>) -> tensor<2x2x3x2x3xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x2x3x2x3xf32>) -> tensor<2x6x6xf32>
    % = "stablehlo.dot_general"(%-1, %-60) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [2] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [1] } : (tensor<2x6x6xf32>, tensor<2x6x4xf32>) -> tensor<2x6x2x4xf32>
    % = "stablehlo.transpose"(%-1) { permutation = array<i64: 2, 1, 0, 3> } : (tensor<2x6x2x4xf32>) -> tensor<2x6x2x4xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x6x2x4xf32>) -> tensor<2x6x8xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x6x8xf32>) -> tensor<12x8xf32>
    % = "stablehlo.dot_general"(%-1, %in4) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [1] } : (tensor<12x8xf32>, tensor<4x8xf32>) -> tensor<12x4xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<12x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.reshape"(%in5) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<1x1x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.add"(%-3, %-1) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x6x4xf32>) -> tensor<12x4xf32>
    % = "stablehlo.dot_general"(%-1, %in6) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [1] } : (tensor<12x4xf32>, tensor<4x4xf32>) -> tensor<12x4xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<12x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.reshape"(%in7) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<1x1x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.add"(%-3, %-1) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.add"(%-75, %-1) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x6xf32>
    % = "stablehlo.constant"() { value = dense<0.25> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6xf32>
    % = "stablehlo.multiply"(%-3, %-1) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.subtract"(%-8, %-1) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x6xf32>
    % = "stablehlo.broadcast_in_dim"(%-8) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.subtract"(%-7, %-1) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.multiply"(%-1, %-1) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x6xf32>
    % = "stablehlo.broadcast_in_dim"(%-16) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.constant"() { value = dense<9.999999960041972e-13> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x1xf32>
    % = "stablehlo.add"(%-3, %-1) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.sqrt"(%-1) : (tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.constant"() { value = dense<1.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x1xf32>
    % = "stablehlo.divide"(%-1, %-3) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.multiply"(%-15, %-1) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.reshape"(%in8) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<1x1x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.multiply"(%-3, %-1) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.reshape"(%in9) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<1x1x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.add"(%-3, %-1) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x6x4xf32>) -> tensor<12x4xf32>
    % = "stablehlo.dot_general"(%-1, %in10) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [1] } : (tensor<12x4xf32>, tensor<6x4xf32>) -> tensor<12x6xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<12x6xf32>) -> tensor<2x6x6xf32>
    % = "stablehlo.reshape"(%in11) : (tensor<6xf32>) -> tensor<1x1x6xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<1x1x6xf32>) -> tensor<2x6x6xf32>
    % = "stablehlo.add"(%-3, %-1) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    % = "stablehlo.constant"() { value = dense<0.7071067690849304> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x6xf32>
    % = "stablehlo.multiply"(%-3, %-1) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    % = "chlo.erf"(%-1) : (tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    % = "stablehlo.broadcast_in_dim"(%-21) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x6xf32>
    % = "stablehlo.add"(%-1, %-2) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    % = "stablehlo.constant"() { value = dense<0.5> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x6xf32>
    % = "stablehlo.multiply"(%-3, %-1) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    % = "stablehlo.multiply"(%-10, %-1) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x6x6xf32>) -> tensor<12x6xf32>
    % = "stablehlo.dot_general"(%-1, %in12) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [1] } : (tensor<12x6xf32>, tensor<4x6xf32>) -> tensor<12x4xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<12x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.reshape"(%in13) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<1x1x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.add"(%-3, %-1) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.add"(%-23, %-1) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x6xf32>
    % = "stablehlo.broadcast_in_dim"(%-59) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.subtract"(%-7, %-1) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x6xf32>
    % = "stablehlo.broadcast_in_dim"(%-66) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.subtract"(%-7, %-1) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.multiply"(%-1, %-1) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x6xf32>
    % = "stablehlo.broadcast_in_dim"(%-74) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-58) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x1xf32>
    % = "stablehlo.add"(%-2, %-1) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.sqrt"(%-1) : (tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-57) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x1xf32>
    % = "stablehlo.divide"(%-1, %-2) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.multiply"(%-13, %-1) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.reshape"(%in14) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<1x1x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.multiply"(%-3, %-1) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.reshape"(%in15) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<1x1x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.add"(%-3, %-1) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 1> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x4xf32>
    % = "stablehlo.constant"() { value = dense<0.1666666716337204> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x4xf32>
    % = "stablehlo.multiply"(%-3, %-1) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    % = "stablehlo.dot_general"(%-1, %in16) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [1] } : (tensor<2x4xf32>, tensor<10x4xf32>) -> tensor<2x10xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x10xf32>) -> tensor<2x10xf32>
    % = "stablehlo.reshape"(%in17) : (tensor<10xf32>) -> tensor<1x10xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1> } : (tensor<1x10xf32>) -> tensor<2x10xf32>
    % = "stablehlo.add"(%-3, %-1) : (tensor<2x10xf32>, tensor<2x10xf32>) -> tensor<2x10xf32>
    % = "stablehlo.constant"() { value = dense<0> : tensor<i32> } : () -> tensor<i32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64> } : (tensor<i32>) -> tensor<2xi32>
    % = "stablehlo.compare"(%in37, %-1) { compare_type = #stablehlo<comparison_type SIGNED> comparison_direction = #stablehlo<comparison_direction GE> } : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    % = "stablehlo.convert"(%-1) : (tensor<2xi1>) -> tensor<2xf32>
    % = "stablehlo.iota"() { iota_dimension = 1 : i64 } : () -> tensor<2x10xi32>
    % = "stablehlo.constant"() { value = dense<0> : tensor<i32> } : () -> tensor<i32>
    % = "stablehlo.constant"() { value = dense<0xff800000> : tensor<f32> } : () -> tensor<f32>
    %203, %204 = "stablehlo.reduce"(%200, %187, %201, %202) ({
      ^reductionFn(%lhs_idx: tensor<i32>, %lhs_v: tensor<f32>, %rhs_idx: tensor<i32>, %rhs_v: tensor<f32>) :
          % = "stablehlo.compare"(%lhs_v, %rhs_v) {
            compare_type = #stablehlo<comparison_type FLOAT>,
            comparison_direction = #stablehlo<comparison_direction GT>
          } : (tensor<f32>, tensor<f32>) -> tensor<i1>
          % = "stablehlo.compare"(%lhs_v, %lhs_v) {
            compare_type = #stablehlo<comparison_type FLOAT>,
            comparison_direction = #stablehlo<comparison_direction NE>
          } : (tensor<f32>, tensor<f32>) -> tensor<i1>
          % = "stablehlo.or"(%-2, %-1) : (tensor<i1>, tensor<i1>) -> tensor<i1>
          % = "stablehlo.compare"(%lhs_v, %rhs_v) {
            compare_type = #stablehlo<comparison_type FLOAT>,
            comparison_direction = #stablehlo<comparison_direction EQ>
          } : (tensor<f32>, tensor<f32>) -> tensor<i1>
          % = "stablehlo.minimum"(%lhs_idx, %rhs_idx) : (tensor<i32>, tensor<i32>) -> tensor<i32>
          % = "stablehlo.select"(%-2, %-1, %rhs_idx) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
          % = "stablehlo.select"(%-4, %lhs_idx, %-1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
          % = "stablehlo.maximum"(%lhs_v, %rhs_v) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%198, %199) : (tensor<i32>, tensor<f32>) -> ()
    }) { dimensions = array<i64: 1> } : (tensor<2x10xi32>, tensor<2x10xf32>, tensor<i32>, tensor<f32>) -> (tensor<2xi32>, tensor<2xf32>)
    % = "stablehlo.compare"(%-2, %in37) { compare_type = #stablehlo<comparison_type SIGNED> comparison_direction = #stablehlo<comparison_direction EQ> } : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    % = "stablehlo.convert"(%-1) : (tensor<2xi1>) -> tensor<2xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.reshape"(%in37) : (tensor<2xi32>) -> tensor<2x1xi32>
    % = "stablehlo.iota"() { iota_dimension = 1 : i64 } : () -> tensor<1x10xi32>
    % = "stablehlo.broadcast_in_dim"(%-2) { broadcast_dimensions = array<i64: 0, 1> } : (tensor<2x1xi32>) -> tensor<2x10xi32>
    % = "stablehlo.broadcast_in_dim"(%-2) { broadcast_dimensions = array<i64: 0, 1> } : (tensor<1x10xi32>) -> tensor<2x10xi32>
    % = "stablehlo.compare"(%-2, %-1) { compare_type = #stablehlo<comparison_type SIGNED> comparison_direction = #stablehlo<comparison_direction EQ> } : (tensor<2x10xi32>, tensor<2x10xi32>) -> tensor<2x10xi1>
    % = "stablehlo.convert"(%-1) : (tensor<2x10xi1>) -> tensor<2x10xf32>
    % = "stablehlo.broadcast_in_dim"(%-106) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x10xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<2x10xf32>, tensor<2x10xf32>) -> tensor<2x10xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x10xf32>
    % = "stablehlo.add"(%-3, %-1) : (tensor<2x10xf32>, tensor<2x10xf32>) -> tensor<2x10xf32>
    % = "stablehlo.constant"() { value = dense<0xff800000> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-34, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.maximum"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%24) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 1> } : (tensor<2x10xf32>, tensor<f32>) -> tensor<2xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2xf32>) -> tensor<2x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1> } : (tensor<2x1xf32>) -> tensor<2x10xf32>
    % = "stablehlo.subtract"(%-37, %-1) : (tensor<2x10xf32>, tensor<2x10xf32>) -> tensor<2x10xf32>
    % = "stablehlo.exponential"(%-1) : (tensor<2x10xf32>) -> tensor<2x10xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 1> } : (tensor<2x10xf32>, tensor<f32>) -> tensor<2xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2xf32>) -> tensor<2x1xf32>
    % = "stablehlo.log"(%-1) : (tensor<2x1xf32>) -> tensor<2x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1> } : (tensor<2x1xf32>) -> tensor<2x10xf32>
    % = "stablehlo.subtract"(%-7, %-1) : (tensor<2x10xf32>, tensor<2x10xf32>) -> tensor<2x10xf32>
    % = "stablehlo.multiply"(%-13, %-1) : (tensor<2x10xf32>, tensor<2x10xf32>) -> tensor<2x10xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 1> } : (tensor<2x10xf32>, tensor<f32>) -> tensor<2xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-45, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.maximum"(%-1, %-128) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.multiply"(%-4, %-47) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.divide"(%-1, %-4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.negate"(%-1) : (tensor<f32>) -> tensor<f32>
    % = "stablehlo.negate"(%-134) : (tensor<f32>) -> tensor<f32>
    % = "stablehlo.divide"(%-1, %-7) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.multiply"(%-8, %-8) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.divide"(%-6, %-1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.multiply"(%-4, %-1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.negate"(%-1) : (tensor<f32>) -> tensor<f32>
    % = "stablehlo.reshape"(%-5) : (tensor<f32>) -> tensor<1xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0> } : (tensor<1xf32>) -> tensor<2xf32>
    % = "stablehlo.multiply"(%-1, %-60) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    % = "stablehlo.multiply"(%-2, %-18) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    % = "stablehlo.reshape"(%-2) : (tensor<2xf32>) -> tensor<2x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1> } : (tensor<2x1xf32>) -> tensor<2x10xf32>
    % = "stablehlo.multiply"(%-1, %-24) : (tensor<2x10xf32>, tensor<2x10xf32>) -> tensor<2x10xf32>
    % = "stablehlo.multiply"(%-2, %-37) : (tensor<2x10xf32>, tensor<2x10xf32>) -> tensor<2x10xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 1> } : (tensor<2x10xf32>, tensor<f32>) -> tensor<2xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2xf32>) -> tensor<2x1xf32>
    % = "stablehlo.negate"(%-1) : (tensor<2x1xf32>) -> tensor<2x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-152) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x1xf32>
    % = "stablehlo.divide"(%-1, %-34) : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
    % = "stablehlo.multiply"(%-3, %-1) : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x1xf32>) -> tensor<2xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2xf32>) -> tensor<2x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1> } : (tensor<2x1xf32>) -> tensor<2x10xf32>
    % = "stablehlo.multiply"(%-1, %-42) : (tensor<2x10xf32>, tensor<2x10xf32>) -> tensor<2x10xf32>
    % = "stablehlo.add"(%-12, %-1) : (tensor<2x10xf32>, tensor<2x10xf32>) -> tensor<2x10xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 1> } : (tensor<2x10xf32>, tensor<f32>) -> tensor<2xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2xf32>) -> tensor<2x1xf32>
    % = "stablehlo.negate"(%-1) : (tensor<2x1xf32>) -> tensor<2x1xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-6, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<2x10xf32>, tensor<f32>) -> tensor<10xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<10xf32>) -> tensor<1x10xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x10xf32>) -> tensor<10xf32>
    % = "stablehlo.reshape"(%-9) : (tensor<2x10xf32>) -> tensor<2x10xf32>
    % = "stablehlo.dot_general"(%-1, %in16) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0] } : (tensor<2x10xf32>, tensor<10x4xf32>) -> tensor<2x4xf32>
    % = "stablehlo.transpose"(%-1) { permutation = array<i64: 0, 1> } : (tensor<2x4xf32>) -> tensor<2x4xf32>
    % = "stablehlo.dot_general"(%-3, %-98) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [0] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0] } : (tensor<2x10xf32>, tensor<2x4xf32>) -> tensor<10x4xf32>
    % = "stablehlo.transpose"(%-1) { permutation = array<i64: 0, 1> } : (tensor<10x4xf32>) -> tensor<10x4xf32>
    % = "stablehlo.reshape"(%-3) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    % = "stablehlo.broadcast_in_dim"(%-104) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x4xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    % = "stablehlo.multiply"(%-3, %-107) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x4xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.reshape"(%-4) : (tensor<2x4xf32>) -> tensor<2x1x4xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x1x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1x4xf32>) -> tensor<4xf32>
    % = "stablehlo.multiply"(%-5, %-124) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.multiply"(%-6, %-127) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1x4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-134) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.multiply"(%-7, %-1) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.multiply"(%-8, %-147) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x6xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-198) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x1xf32>
    % = "stablehlo.divide"(%-2, %-143) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.multiply"(%-146, %-146) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.divide"(%-5, %-1) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.multiply"(%-7, %-1) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.negate"(%-1) : (tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-206) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x1xf32>
    % = "stablehlo.divide"(%-1, %-151) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-185) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x1xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.multiply"(%-5, %-1) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.reshape"(%-3) : (tensor<2x6x1xf32>) -> tensor<2x6xf32>
    % = "stablehlo.broadcast_in_dim"(%-237) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
    % = "stablehlo.multiply"(%-3, %-166) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x6xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.reshape"(%-4) : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.multiply"(%-1, %-174) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.multiply"(%-2, %-175) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.add"(%-30, %-2) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.add"(%-1, %-2) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x6xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.negate"(%-1) : (tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x6x1xf32>) -> tensor<2x6xf32>
    % = "stablehlo.broadcast_in_dim"(%-253) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
    % = "stablehlo.multiply"(%-3, %-190) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x6xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.add"(%-17, %-1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.reshape"(%-5) : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.add"(%-14, %-1) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x6xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.negate"(%-1) : (tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x6x1xf32>) -> tensor<2x6xf32>
    % = "stablehlo.broadcast_in_dim"(%-267) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
    % = "stablehlo.multiply"(%-3, %-211) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x6xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.add"(%-14, %-1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.reshape"(%-5) : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.add"(%-14, %-1) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1x4xf32>) -> tensor<4xf32>
    % = "stablehlo.reshape"(%-5) : (tensor<2x6x4xf32>) -> tensor<12x4xf32>
    % = "stablehlo.dot_general"(%-1, %in12) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0] } : (tensor<12x4xf32>, tensor<4x6xf32>) -> tensor<12x6xf32>
    % = "stablehlo.transpose"(%-1) { permutation = array<i64: 0, 1> } : (tensor<12x6xf32>) -> tensor<12x6xf32>
    % = "stablehlo.dot_general"(%-3, %-233) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [0] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0] } : (tensor<12x4xf32>, tensor<12x6xf32>) -> tensor<4x6xf32>
    % = "stablehlo.transpose"(%-1) { permutation = array<i64: 0, 1> } : (tensor<4x6xf32>) -> tensor<4x6xf32>
    % = "stablehlo.reshape"(%-3) : (tensor<12x6xf32>) -> tensor<2x6x6xf32>
    % = "stablehlo.multiply"(%-1, %-238) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    % = "stablehlo.multiply"(%-2, %-248) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    % = "stablehlo.broadcast_in_dim"(%-242) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x6xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    % = "stablehlo.multiply"(%-3, %-245) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x6xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-5, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x6xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.add"(%-71, %-1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.multiply"(%-254, %-254) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    % = "stablehlo.negate"(%-1) : (tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    % = "stablehlo.exponential"(%-1) : (tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    % = "stablehlo.constant"() { value = dense<1.128379225730896> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x6xf32>
    % = "stablehlo.multiply"(%-3, %-1) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    % = "stablehlo.multiply"(%-13, %-1) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    % = "stablehlo.broadcast_in_dim"(%-263) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x6xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    % = "stablehlo.multiply"(%-3, %-266) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x6xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.add"(%-22, %-4) : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x6x6xf32>, tensor<f32>) -> tensor<6xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<6xf32>) -> tensor<1x1x6xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1x6xf32>) -> tensor<6xf32>
    % = "stablehlo.reshape"(%-5) : (tensor<2x6x6xf32>) -> tensor<12x6xf32>
    % = "stablehlo.dot_general"(%-1, %in10) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0] } : (tensor<12x6xf32>, tensor<6x4xf32>) -> tensor<12x4xf32>
    % = "stablehlo.transpose"(%-1) { permutation = array<i64: 0, 1> } : (tensor<12x4xf32>) -> tensor<12x4xf32>
    % = "stablehlo.dot_general"(%-3, %-282) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [0] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0] } : (tensor<12x6xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
    % = "stablehlo.transpose"(%-1) { permutation = array<i64: 0, 1> } : (tensor<6x4xf32>) -> tensor<6x4xf32>
    % = "stablehlo.reshape"(%-3) : (tensor<12x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.add"(%-44, %-1) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1x4xf32>) -> tensor<4xf32>
    % = "stablehlo.multiply"(%-5, %-295) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.multiply"(%-6, %-298) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1x4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-305) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.multiply"(%-7, %-1) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.multiply"(%-8, %-320) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x6xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-313) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x1xf32>
    % = "stablehlo.divide"(%-2, %-315) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.multiply"(%-318, %-318) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.divide"(%-5, %-1) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.multiply"(%-7, %-1) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.negate"(%-1) : (tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.add"(%-49, %-5) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.broadcast_in_dim"(%-322) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x1xf32>
    % = "stablehlo.divide"(%-1, %-324) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-301) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6x1xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.multiply"(%-6, %-1) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.add"(%-117, %-1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.reshape"(%-4) : (tensor<2x6x1xf32>) -> tensor<2x6xf32>
    % = "stablehlo.broadcast_in_dim"(%-354) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
    % = "stablehlo.multiply"(%-3, %-341) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x6xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.add"(%-87, %-1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.reshape"(%-5) : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.multiply"(%-1, %-350) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.multiply"(%-2, %-351) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.add"(%-33, %-2) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.add"(%-1, %-2) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x6xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.negate"(%-1) : (tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x6x1xf32>) -> tensor<2x6xf32>
    % = "stablehlo.broadcast_in_dim"(%-371) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
    % = "stablehlo.multiply"(%-3, %-366) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x6xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.add"(%-17, %-1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.reshape"(%-5) : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.add"(%-14, %-1) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<2x6xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.negate"(%-1) : (tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x6x1xf32>) -> tensor<2x6xf32>
    % = "stablehlo.broadcast_in_dim"(%-385) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x6xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
    % = "stablehlo.multiply"(%-3, %-388) : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x6xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.add"(%-14, %-1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.reshape"(%-5) : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.add"(%-14, %-1) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1x4xf32>) -> tensor<4xf32>
    % = "stablehlo.reshape"(%-5) : (tensor<2x6x4xf32>) -> tensor<12x4xf32>
    % = "stablehlo.dot_general"(%-1, %in6) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0] } : (tensor<12x4xf32>, tensor<4x4xf32>) -> tensor<12x4xf32>
    % = "stablehlo.transpose"(%-1) { permutation = array<i64: 0, 1> } : (tensor<12x4xf32>) -> tensor<12x4xf32>
    % = "stablehlo.dot_general"(%-3, %-410) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [0] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0] } : (tensor<12x4xf32>, tensor<12x4xf32>) -> tensor<4x4xf32>
    % = "stablehlo.transpose"(%-1) { permutation = array<i64: 0, 1> } : (tensor<4x4xf32>) -> tensor<4x4xf32>
    % = "stablehlo.reshape"(%-3) : (tensor<12x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1x4xf32>) -> tensor<4xf32>
    % = "stablehlo.reshape"(%-5) : (tensor<2x6x4xf32>) -> tensor<12x4xf32>
    % = "stablehlo.dot_general"(%-1, %in4) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0] } : (tensor<12x4xf32>, tensor<4x8xf32>) -> tensor<12x8xf32>
    % = "stablehlo.transpose"(%-1) { permutation = array<i64: 0, 1> } : (tensor<12x8xf32>) -> tensor<12x8xf32>
    % = "stablehlo.dot_general"(%-3, %-426) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [0] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0] } : (tensor<12x4xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    % = "stablehlo.transpose"(%-1) { permutation = array<i64: 0, 1> } : (tensor<4x8xf32>) -> tensor<4x8xf32>
    % = "stablehlo.reshape"(%-3) : (tensor<12x8xf32>) -> tensor<2x6x8xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x6x8xf32>) -> tensor<2x6x2x4xf32>
    % = "stablehlo.transpose"(%-1) { permutation = array<i64: 2, 1, 0, 3> } : (tensor<2x6x2x4xf32>) -> tensor<2x6x2x4xf32>
    % = "stablehlo.dot_general"(%-1, %-494) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [2, 3] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0, 2] } : (tensor<2x6x2x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x6xf32>
    % = "stablehlo.transpose"(%-1) { permutation = array<i64: 0, 1, 2> } : (tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    % = "stablehlo.dot_general"(%-3, %-437) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [0, 1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0, 1] } : (tensor<2x6x2x4xf32>, tensor<2x6x6xf32>) -> tensor<2x4x6xf32>
    % = "stablehlo.transpose"(%-1) { permutation = array<i64: 0, 2, 1> } : (tensor<2x4x6xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.add"(%-27, %-1) : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    % = "stablehlo.reshape"(%-4) : (tensor<2x6x6xf32>) -> tensor<2x2x3x2x3xf32>
    % = "stablehlo.broadcast_in_dim"(%-446) { broadcast_dimensions = array<i64: 0, 1, 2, 3, 4> } : (tensor<2x2x1x2x1xf32>) -> tensor<2x2x3x2x3xf32>
    % = "stablehlo.broadcast_in_dim"(%-446) { broadcast_dimensions = array<i64: 0, 1, 2, 3, 4> } : (tensor<2x1x3x1x3xf32>) -> tensor<2x2x3x2x3xf32>
    % = "stablehlo.multiply"(%-3, %-1) : (tensor<2x2x3x2x3xf32>, tensor<2x2x3x2x3xf32>) -> tensor<2x2x3x2x3xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2, 4> } : (tensor<2x2x3x2x3xf32>, tensor<f32>) -> tensor<2x2x2xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x2x2xf32>) -> tensor<2x2x1x2x1xf32>
    % = "stablehlo.multiply"(%-7, %-6) : (tensor<2x2x3x2x3xf32>, tensor<2x2x3x2x3xf32>) -> tensor<2x2x3x2x3xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 1, 3> } : (tensor<2x2x3x2x3xf32>, tensor<f32>) -> tensor<2x3x3xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x3x3xf32>) -> tensor<2x1x3x1x3xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x1x3x1x3xf32>) -> tensor<2x3x3xf32>
    % = "stablehlo.reshape"(%-6) : (tensor<2x2x1x2x1xf32>) -> tensor<2x2x2xf32>
    % = "stablehlo.broadcast_in_dim"(%-461) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x3x1xf32>) -> tensor<2x3x3xf32>
    % = "stablehlo.divide"(%-3, %-1) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    % = "stablehlo.multiply"(%-2, %-2) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    % = "stablehlo.divide"(%-467, %-1) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    % = "stablehlo.multiply"(%-6, %-1) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    % = "stablehlo.negate"(%-1) : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x3x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x3xf32>) -> tensor<2x3x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x3xf32>) -> tensor<2x3x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x3x1xf32>) -> tensor<2x3x3xf32>
    % = "stablehlo.add"(%-11, %-1) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    % = "stablehlo.multiply"(%-1, %-477) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x3x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x3xf32>) -> tensor<2x3x1xf32>
    % = "stablehlo.negate"(%-1) : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-517) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x3x3xf32>
    % = "stablehlo.multiply"(%-6, %-1) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    % = "stablehlo.multiply"(%-7, %-492) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1, 2> } : (tensor<2x3x3xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.multiply"(%-4, %-496) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    % = "stablehlo.multiply"(%-5, %-497) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    % = "stablehlo.add"(%-2, %-1) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    % = "stablehlo.broadcast_in_dim"(%-501) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x1x1xf32>) -> tensor<2x3x3xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    % = "stablehlo.multiply"(%-3, %-504) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 1, 2> } : (tensor<2x3x3xf32>, tensor<f32>) -> tensor<2xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2xf32>) -> tensor<2x1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x1x1xf32>) -> tensor<2xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-7, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<2x3x3xf32>, tensor<f32>) -> tensor<3x3xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<3x3xf32>) -> tensor<1x3x3xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-10, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 1, 2> } : (tensor<2x3x3xf32>, tensor<f32>) -> tensor<2xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2xf32>) -> tensor<2x1x1xf32>
    % = "stablehlo.negate"(%-1) : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x1x1xf32>) -> tensor<2x1xf32>
    % = "stablehlo.pad"(%-1, %-344) { edge_padding_high = array<i64: 0, 0> edge_padding_low = array<i64: 0, 1> interior_padding = array<i64: 0, 0> } : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x2xf32>
    % = "stablehlo.broadcast_in_dim"(%-528) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x2x1xf32>) -> tensor<2x2x2xf32>
    % = "stablehlo.divide"(%-44, %-1) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    % = "stablehlo.multiply"(%-2, %-2) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    % = "stablehlo.divide"(%-535, %-1) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    % = "stablehlo.multiply"(%-47, %-1) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    % = "stablehlo.negate"(%-1) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x2xf32>) -> tensor<2x2x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x2x1xf32>) -> tensor<2x2xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x2xf32>) -> tensor<2x2x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x2x1xf32>) -> tensor<2x2x2xf32>
    % = "stablehlo.add"(%-11, %-1) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    % = "stablehlo.multiply"(%-1, %-545) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 2> } : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x2xf32>) -> tensor<2x2x1xf32>
    % = "stablehlo.negate"(%-1) : (tensor<2x2x1xf32>) -> tensor<2x2x1xf32>
    % = "stablehlo.broadcast_in_dim"(%-559) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x2x2xf32>
    % = "stablehlo.multiply"(%-6, %-1) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    % = "stablehlo.multiply"(%-7, %-562) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1, 2> } : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.add"(%-43, %-1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.multiply"(%-5, %-567) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    % = "stablehlo.multiply"(%-6, %-568) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    % = "stablehlo.add"(%-2, %-1) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    % = "stablehlo.broadcast_in_dim"(%-572) { broadcast_dimensions = array<i64: 0, 1, 2> } : (tensor<2x1x1xf32>) -> tensor<2x2x2xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    % = "stablehlo.multiply"(%-3, %-575) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 1, 2> } : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2xf32>) -> tensor<2x1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x1x1xf32>) -> tensor<2xf32>
    % = "stablehlo.add"(%-44, %-1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-8, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x2xf32>) -> tensor<1x2x2xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-11, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 1, 2> } : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<2xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2xf32>) -> tensor<2x1x1xf32>
    % = "stablehlo.negate"(%-1) : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<2x1x1xf32>) -> tensor<2x1xf32>
    % = "stablehlo.pad"(%-1, %-388) { edge_padding_high = array<i64: 0, 1> edge_padding_low = array<i64: 0, 0> interior_padding = array<i64: 0, 0> } : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x2xf32>
    % = "stablehlo.add"(%-45, %-1) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-102, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<4xf32>) -> tensor<1x1x4xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1x4xf32>) -> tensor<4xf32>
    % = "stablehlo.reshape"(%-105) : (tensor<2x6x4xf32>) -> tensor<12x4xf32>
    % = "stablehlo.dot_general"(%-1, %in0) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [1] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0] } : (tensor<12x4xf32>, tensor<4x12xf32>) -> tensor<12x12xf32>
    % = "stablehlo.transpose"(%-1) { permutation = array<i64: 0, 1> } : (tensor<12x12xf32>) -> tensor<12x12xf32>
    % = "stablehlo.dot_general"(%-3, %-611) { > dot_dimension_numbers = #stablehlo.dot< lhs_batching_dimensions = [] lhs_contracting_dimensions = [0] precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>] rhs_batching_dimensions = [] rhs_contracting_dimensions = [0] } : (tensor<12x4xf32>, tensor<12x12xf32>) -> tensor<4x12xf32>
    % = "stablehlo.transpose"(%-1) { permutation = array<i64: 0, 1> } : (tensor<4x12xf32>) -> tensor<4x12xf32>
    % = "stablehlo.multiply"(%-1, %-1) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<4x12xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.multiply"(%-9, %-9) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.multiply"(%-17, %-17) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<2x2xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.multiply"(%-31, %-31) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.multiply"(%-133, %-133) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.multiply"(%-142, %-142) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.multiply"(%-151, %-151) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.multiply"(%-160, %-160) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.multiply"(%-232, %-232) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.multiply"(%-242, %-242) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.multiply"(%-252, %-252) : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<6x4xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.multiply"(%-261, %-261) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.multiply"(%-293, %-293) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.multiply"(%-302, %-302) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.multiply"(%-371, %-371) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.multiply"(%-381, %-381) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.multiply"(%-398, %-398) : (tensor<10x4xf32>, tensor<10x4xf32>) -> tensor<10x4xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<10x4xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.multiply"(%-407, %-407) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    % = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    % = "stablehlo.reduce"(%-2, %-1) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          % = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<10xf32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.sqrt"(%-1) : (tensor<f32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 1> start_indices = array<i64: 0, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 2> start_indices = array<i64: 0, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 3> start_indices = array<i64: 0, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4x12xf32>
    % = "stablehlo.multiply"(%in18, %-1) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4x12xf32>
    % = "stablehlo.multiply"(%in0, %-1) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    % = "stablehlo.add"(%-83, %-1) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    % = "stablehlo.broadcast_in_dim"(%-11) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4x12xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    % = "stablehlo.subtract"(%in0, %-1) : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 1> start_indices = array<i64: 1, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 2> start_indices = array<i64: 1, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 3> start_indices = array<i64: 1, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.multiply"(%in19, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.multiply"(%in1, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.add"(%-103, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-11) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.subtract"(%in1, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 3, 1> start_indices = array<i64: 2, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 3, 2> start_indices = array<i64: 2, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 3, 3> start_indices = array<i64: 2, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x2xf32>
    % = "stablehlo.multiply"(%in20, %-1) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x2xf32>
    % = "stablehlo.multiply"(%in2, %-1) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    % = "stablehlo.add"(%-122, %-1) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    % = "stablehlo.broadcast_in_dim"(%-11) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2x2xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    % = "stablehlo.subtract"(%in2, %-1) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 3, 1> start_indices = array<i64: 2, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 3, 2> start_indices = array<i64: 2, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 3, 3> start_indices = array<i64: 2, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2xf32>
    % = "stablehlo.multiply"(%in21, %-1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2xf32>
    % = "stablehlo.multiply"(%in3, %-1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    % = "stablehlo.add"(%-147, %-1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    % = "stablehlo.broadcast_in_dim"(%-11) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<2xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    % = "stablehlo.subtract"(%in3, %-1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 1> start_indices = array<i64: 0, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 2> start_indices = array<i64: 0, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 3> start_indices = array<i64: 0, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4x8xf32>
    % = "stablehlo.multiply"(%in22, %-1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4x8xf32>
    % = "stablehlo.multiply"(%in4, %-1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    % = "stablehlo.add"(%-260, %-1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    % = "stablehlo.broadcast_in_dim"(%-11) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4x8xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    % = "stablehlo.subtract"(%in4, %-1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 1> start_indices = array<i64: 1, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 2> start_indices = array<i64: 1, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 3> start_indices = array<i64: 1, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.multiply"(%in23, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.multiply"(%in5, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.add"(%-280, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-11) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.subtract"(%in5, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 1> start_indices = array<i64: 0, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 2> start_indices = array<i64: 0, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 3> start_indices = array<i64: 0, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4x4xf32>
    % = "stablehlo.multiply"(%in24, %-1) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4x4xf32>
    % = "stablehlo.multiply"(%in6, %-1) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    % = "stablehlo.add"(%-300, %-1) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    % = "stablehlo.broadcast_in_dim"(%-11) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4x4xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    % = "stablehlo.subtract"(%in6, %-1) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 1> start_indices = array<i64: 1, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 2> start_indices = array<i64: 1, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 3> start_indices = array<i64: 1, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.multiply"(%in25, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.multiply"(%in7, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.add"(%-320, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-11) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.subtract"(%in7, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 1> start_indices = array<i64: 1, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 2> start_indices = array<i64: 1, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 3> start_indices = array<i64: 1, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.multiply"(%in26, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.multiply"(%in8, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.add"(%-403, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-11) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.subtract"(%in8, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 1> start_indices = array<i64: 1, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 2> start_indices = array<i64: 1, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 3> start_indices = array<i64: 1, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.multiply"(%in27, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.multiply"(%in9, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.add"(%-424, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-11) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.subtract"(%in9, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 1> start_indices = array<i64: 0, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 2> start_indices = array<i64: 0, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 3> start_indices = array<i64: 0, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<6x4xf32>
    % = "stablehlo.multiply"(%in28, %-1) : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<6x4xf32>
    % = "stablehlo.multiply"(%in10, %-1) : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
    % = "stablehlo.add"(%-445, %-1) : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
    % = "stablehlo.broadcast_in_dim"(%-11) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<6x4xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
    % = "stablehlo.subtract"(%in10, %-1) : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 1> start_indices = array<i64: 1, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 2> start_indices = array<i64: 1, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 3> start_indices = array<i64: 1, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<6xf32>
    % = "stablehlo.multiply"(%in29, %-1) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<6xf32>
    % = "stablehlo.multiply"(%in11, %-1) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    % = "stablehlo.add"(%-465, %-1) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    % = "stablehlo.broadcast_in_dim"(%-11) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<6xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    % = "stablehlo.subtract"(%in11, %-1) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 1> start_indices = array<i64: 0, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 2> start_indices = array<i64: 0, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 3> start_indices = array<i64: 0, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4x6xf32>
    % = "stablehlo.multiply"(%in30, %-1) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4x6xf32>
    % = "stablehlo.multiply"(%in12, %-1) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    % = "stablehlo.add"(%-508, %-1) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    % = "stablehlo.broadcast_in_dim"(%-11) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4x6xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    % = "stablehlo.subtract"(%in12, %-1) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 1> start_indices = array<i64: 1, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 2> start_indices = array<i64: 1, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 3> start_indices = array<i64: 1, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.multiply"(%in31, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.multiply"(%in13, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.add"(%-528, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-11) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.subtract"(%in13, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 1> start_indices = array<i64: 1, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 2> start_indices = array<i64: 1, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 3> start_indices = array<i64: 1, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.multiply"(%in32, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.multiply"(%in14, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.add"(%-608, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-11) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.subtract"(%in14, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 1> start_indices = array<i64: 1, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 2> start_indices = array<i64: 1, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 3> start_indices = array<i64: 1, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.multiply"(%in33, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.multiply"(%in15, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.add"(%-629, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-11) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<4xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.subtract"(%in15, %-1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 1> start_indices = array<i64: 0, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 2> start_indices = array<i64: 0, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 1, 3> start_indices = array<i64: 0, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<10x4xf32>
    % = "stablehlo.multiply"(%in34, %-1) : (tensor<10x4xf32>, tensor<10x4xf32>) -> tensor<10x4xf32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<10x4xf32>
    % = "stablehlo.multiply"(%in16, %-1) : (tensor<10x4xf32>, tensor<10x4xf32>) -> tensor<10x4xf32>
    % = "stablehlo.add"(%-657, %-1) : (tensor<10x4xf32>, tensor<10x4xf32>) -> tensor<10x4xf32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<10x4xf32>, tensor<10x4xf32>) -> tensor<10x4xf32>
    % = "stablehlo.broadcast_in_dim"(%-11) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<10x4xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<10x4xf32>, tensor<10x4xf32>) -> tensor<10x4xf32>
    % = "stablehlo.subtract"(%in16, %-1) : (tensor<10x4xf32>, tensor<10x4xf32>) -> tensor<10x4xf32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 1> start_indices = array<i64: 1, 0> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 2> start_indices = array<i64: 1, 1> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.slice"(%in39) { limit_indices = array<i64: 2, 3> start_indices = array<i64: 1, 2> strides = array<i64: 1, 1> } : (tensor<3x3xf32>) -> tensor<1x1xf32>
    % = "stablehlo.reshape"(%-1) : (tensor<1x1xf32>) -> tensor<f32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<10xf32>
    % = "stablehlo.multiply"(%in35, %-1) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<10xf32>
    % = "stablehlo.multiply"(%in17, %-1) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    % = "stablehlo.add"(%-677, %-1) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    % = "stablehlo.add"(%-4, %-1) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    % = "stablehlo.broadcast_in_dim"(%-11) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<10xf32>
    % = "stablehlo.multiply"(%-2, %-1) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    % = "stablehlo.subtract"(%in17, %-1) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    % = "stablehlo.add"(%-716, %-271) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    % = "stablehlo.is_finite"(%-1) : (tensor<f32>) -> tensor<i1>
    % = "stablehlo.broadcast_in_dim"(%-1) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4x12xi1>
    % = "stablehlo.select"(%-1, %-259, %in0) : (tensor<4x12xi1>, tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    % = "stablehlo.broadcast_in_dim"(%-3) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    % = "stablehlo.select"(%-1, %-246, %in1) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-5) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<2x2xi1>
    % = "stablehlo.select"(%-1, %-233, %in2) : (tensor<2x2xi1>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    % = "stablehlo.broadcast_in_dim"(%-7) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<2xi1>
    % = "stablehlo.select"(%-1, %-220, %in3) : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    % = "stablehlo.broadcast_in_dim"(%-9) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4x8xi1>
    % = "stablehlo.select"(%-1, %-207, %in4) : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    % = "stablehlo.broadcast_in_dim"(%-11) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    % = "stablehlo.select"(%-1, %-194, %in5) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-13) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4x4xi1>
    % = "stablehlo.select"(%-1, %-181, %in6) : (tensor<4x4xi1>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    % = "stablehlo.broadcast_in_dim"(%-15) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    % = "stablehlo.select"(%-1, %-168, %in7) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-17) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    % = "stablehlo.select"(%-1, %-155, %in8) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-19) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    % = "stablehlo.select"(%-1, %-142, %in9) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-21) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<6x4xi1>
    % = "stablehlo.select"(%-1, %-129, %in10) : (tensor<6x4xi1>, tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
    % = "stablehlo.broadcast_in_dim"(%-23) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<6xi1>
    % = "stablehlo.select"(%-1, %-116, %in11) : (tensor<6xi1>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    % = "stablehlo.broadcast_in_dim"(%-25) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4x6xi1>
    % = "stablehlo.select"(%-1, %-103, %in12) : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    % = "stablehlo.broadcast_in_dim"(%-27) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    % = "stablehlo.select"(%-1, %-90, %in13) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-29) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    % = "stablehlo.select"(%-1, %-77, %in14) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-31) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    % = "stablehlo.select"(%-1, %-64, %in15) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-33) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<10x4xi1>
    % = "stablehlo.select"(%-1, %-51, %in16) : (tensor<10x4xi1>, tensor<10x4xf32>, tensor<10x4xf32>) -> tensor<10x4xf32>
    % = "stablehlo.broadcast_in_dim"(%-35) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<10xi1>
    % = "stablehlo.select"(%-1, %-38, %in17) : (tensor<10xi1>, tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    % = "stablehlo.broadcast_in_dim"(%-37) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4x12xi1>
    % = "stablehlo.select"(%-1, %-298, %in18) : (tensor<4x12xi1>, tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    % = "stablehlo.broadcast_in_dim"(%-39) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    % = "stablehlo.select"(%-1, %-285, %in19) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-41) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<2x2xi1>
    % = "stablehlo.select"(%-1, %-272, %in20) : (tensor<2x2xi1>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    % = "stablehlo.broadcast_in_dim"(%-43) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<2xi1>
    % = "stablehlo.select"(%-1, %-259, %in21) : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    % = "stablehlo.broadcast_in_dim"(%-45) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4x8xi1>
    % = "stablehlo.select"(%-1, %-246, %in22) : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    % = "stablehlo.broadcast_in_dim"(%-47) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    % = "stablehlo.select"(%-1, %-233, %in23) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-49) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4x4xi1>
    % = "stablehlo.select"(%-1, %-220, %in24) : (tensor<4x4xi1>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    % = "stablehlo.broadcast_in_dim"(%-51) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    % = "stablehlo.select"(%-1, %-207, %in25) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-53) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    % = "stablehlo.select"(%-1, %-194, %in26) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-55) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    % = "stablehlo.select"(%-1, %-181, %in27) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-57) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<6x4xi1>
    % = "stablehlo.select"(%-1, %-168, %in28) : (tensor<6x4xi1>, tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
    % = "stablehlo.broadcast_in_dim"(%-59) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<6xi1>
    % = "stablehlo.select"(%-1, %-155, %in29) : (tensor<6xi1>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    % = "stablehlo.broadcast_in_dim"(%-61) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4x6xi1>
    % = "stablehlo.select"(%-1, %-142, %in30) : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    % = "stablehlo.broadcast_in_dim"(%-63) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    % = "stablehlo.select"(%-1, %-129, %in31) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-65) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    % = "stablehlo.select"(%-1, %-116, %in32) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-67) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<4xi1>
    % = "stablehlo.select"(%-1, %-103, %in33) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    % = "stablehlo.broadcast_in_dim"(%-69) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<10x4xi1>
    % = "stablehlo.select"(%-1, %-90, %in34) : (tensor<10x4xi1>, tensor<10x4xf32>, tensor<10x4xf32>) -> tensor<10x4xf32>
    % = "stablehlo.broadcast_in_dim"(%-71) { broadcast_dimensions = array<i64> } : (tensor<i1>) -> tensor<10xi1>
    % = "stablehlo.select"(%-1, %-77, %in35) : (tensor<10xi1>, tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    % = "stablehlo.reshape"(%-790) : (tensor<f32>) -> tensor<1xf32>
    % = "stablehlo.reshape"(%-825) : (tensor<f32>) -> tensor<1xf32>
    % = "stablehlo.reshape"(%-347) : (tensor<f32>) -> tensor<1xf32>
    % = "stablehlo.concatenate"(%-3, %-2, %-1) { dimension = 0 : i64 } : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3xf32>
    "stablehlo.return"(%961, %963, %965, %967, %969, %971, %973, %975, %977, %979, %981, %983, %985, %987, %989, %991, %993, %995, %997, %999, %1001, %1003, %1005, %1007, %1009, %1011, %1013, %1015, %1017, %1019, %1021, %1023, %1025, %1027, %1029, %1031, %1035) : (tensor<4x12xf32>, tensor<4xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<6x4xf32>, tensor<6xf32>, tensor<4x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<10x4xf32>, tensor<10xf32>, tensor<4x12xf32>, tensor<4xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<6x4xf32>, tensor<6xf32>, tensor<4x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<10x4xf32>, tensor<10xf32>, tensor<3xf32>) -> ()
  }
}
