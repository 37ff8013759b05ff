internal import GatewayCore
internal import GatewayKit

/// The way in which clients of a described wire renew their tokens, e.g. `"how": "timer", "lead": "20%", "say":
/// "renew"`.
struct WireRenewal: Sendable {
  let habit: RefreshHabit
  /// The message with the new token.
  let message: Int?
  /// The request over HTTP that renews an open connection; nil if none does.
  let request: WireRequest?
  /// Its place; nil if it is not described.
  let described: Described?
  /// Whether the gateway closes connections whose token has expired.
  let endsAreEnforced: Bool

  static let keys = ["how", "lead", "jitter", "say", "request", "proof", "grace", "ends_enforced"]

  init(_ described: Described?, _ names: HoleNames) throws(DescriptionError) {
    self.described = described
    var habit = RefreshHabit()
    guard let described else {
      habit.how = .none
      self.habit = habit
      message = nil
      request = nil
      endsAreEnforced = true
      return
    }
    let refresh = try described.object(Self.keys)
    let how = try refresh.required("how", example: "\"timer\"")
    habit.how = try how.choice("way of renewal")
    try Self.checkKeys(refresh, habit.how)
    request = try refresh["request"].map { (request) throws(DescriptionError) in
      try WireRequest(request, names, for: .renewal)
    }
    habit.isTokenInAnswer = request?.takesToken ?? false
    habit.lead = try refresh["lead"].map { (lead) throws(DescriptionError) in try Self.lead(lead) }
    habit.jitter = try refresh["jitter"]?.duration() ?? .zero
    habit.grace = try refresh["grace"]?.duration() ?? habit.grace
    endsAreEnforced = try refresh["ends_enforced"]?.bool() ?? true
    if let proof = refresh["proof"] {
      switch try proof.text() {
      case "reply": break
      case "survival": habit.isProvenBySurvival = true
      case let other: throw proof.unknown(other, "proof", among: ["reply", "survival"])
      }
      if habit.isProvenBySurvival && !endsAreEnforced {
        throw proof.error("\"survival\" proves nothing where \"ends_enforced\" is false")
      }
    }
    message = try refresh["say"].map { (say) throws(DescriptionError) in try names.message(say) }
    if habit.how == .timer && habit.lead == nil {
      throw how.error("a timer needs \"lead\", as \"lead\": \"10s\" or \"20%\"")
    }
    if [.asked, .timer].contains(habit.how) && message == nil {
      throw how.error("nothing says the new token; \"say\": a message")
    }
    if habit.how == .http {
      guard let request else { throw how.error("no request renews; \"request\": {\"path\": \"/refresh\", …}") }
      guard request.showsToken || request.takesToken else {
        throw request.described.error(
          "neither shows a token nor brings one; {{token}} in it, or \"take\": {\"token\": POINTER}")
      }
    }
    self.habit = habit
  }

  /// Throws if a key has no meaning for that way of renewal.
  private static func checkKeys(_ refresh: DescribedObject, _ how: RefreshHabit.How) throws(DescriptionError) {
    if how != .http, let request = refresh["request"] {
      throw request.error("a request renews where \"how\" is \"http\"; that, or leave it out")
    }
    guard how == .http || how == .pushed else { return }
    let reasons = [
      "say": how == .http ? "the request renews" : "the gateway renews by itself",
      "proof": how == .http ? "the status of the answer is the proof" : "the pushed token is the proof",
      "jitter": how == .pushed ? "the gateway decides when it pushes" : nil,
    ]
    for name in ["say", "proof", "jitter"] {
      if let described = refresh[name], let reason = reasons[name] ?? nil {
        throw described.error("\(reason); leave it out where \"how\" is \"\(how.rawValue)\"")
      }
    }
  }

  private static func lead(_ described: Described) throws(DescriptionError) -> RefreshHabit.Lead {
    let text = try described.text()
    if text.hasSuffix("%"), let share = Share.parse(text) { return .share(share) }
    guard let duration = DurationText.parse(text) else {
      throw described.error("'\(text)' is no lead; \"10s\", or \"20%\" of the life")
    }
    return .duration(duration)
  }
}
