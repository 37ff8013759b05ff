import GatewayCore
import GatewayFleet
import GatewayPlanner

/// The members of a scenario's provider that a calibration knows; those that it does not know are absent.
struct CalibratedProvider: Encodable {
  var concurrency = 1
  var latencyMs: [Double] = []
  var queueMax: Int?
  var failureRate: Double?
  private var retryAfter: [Double]?
  private var abandoned: String?

  init(_ calibration: Calibration) {
    let model = calibration.provider
    if case .places(let places, let latency) = model.capacity {
      concurrency = places
      latencyMs = [latency.lowerBound, latency.upperBound].map { ($0.inSeconds * 1e6).rounded() / 1000 }
    }
    queueMax = calibration.hasQueueLimit ? model.queue : nil
    failureRate = model.failures > 0 ? model.failures : nil
    if calibration.told != nil {
      if case .between(let range) = model.advice {
        retryAfter = [range.lowerBound.inSeconds, range.upperBound.inSeconds]
      } else {
        retryAfter = []
      }
    }
    abandoned = calibration.hasTimeOuts ? model.abandoned.rawValue : nil
  }

  private enum CodingKeys: String, CodingKey {
    case concurrency, latencyMs, queueMax, failureRate, retryAfter, abandoned
  }

  func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(concurrency, forKey: .concurrency)
    try members.encode(latencyMs, forKey: .latencyMs)
    try members.encodeIfPresent(queueMax, forKey: .queueMax)
    try members.encodeIfPresent(failureRate, forKey: .failureRate)
    try members.encodeIfPresent(abandoned, forKey: .abandoned)
    guard let retryAfter else { return }
    if retryAfter.isEmpty {
      try members.encode("none", forKey: .retryAfter)
    } else {
      try members.encode(retryAfter, forKey: .retryAfter)
    }
  }

  /// The latency as the file has it: a number, or the least and the most.
  var latencyText: String { Self.range(latencyMs) }

  /// The wait as the file has it; nil if it is unknown.
  var retryAfterText: String? { retryAfter.map { $0.isEmpty ? "\"none\"" : Self.range($0) } }

  private static func range(_ bounds: [Double]) -> String {
    let texts = bounds.map { CalibrationText.number($0, places: 3) }
    return texts.count == 2 && texts[0] == texts[1] ? texts[0] : "[" + texts.joined(separator: ", ") + "]"
  }
}
