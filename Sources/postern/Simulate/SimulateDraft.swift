import GatewayKit

/// The values of the flags of `postern simulate`, before they are checked together.
struct SimulateDraft: Sendable {
  /// The values that take the place of the file's.
  struct World: Sendable {
    var sizes = FleetSizes()
    var seed: Int?
    var fidelity: SimulateScenario.Fidelity?
    var thresholds: [String] = []
    /// The number of worlds that run at once; nil for one for each core.
    var threads: Int?
  }

  var world = World()
  var seeds = 1
  var reportDirectory: String?
  var page: OutputFile?
  var printsJSON = false
  var outputs = ReportOutputs()
}
