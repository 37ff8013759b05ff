internal import GatewayCore
internal import GatewayKit

/// The way in which clients of a described wire renew their tokens, e.g. `"how": "timer", "lead": "20%", "say":
/// "renew"`.
struct WireRenewal: Sendable {
  let habit: RefreshHabit
  /// The message with the new token.
  let message: Int?
  /// Its place; nil if it is not described.
  let described: Described?
  /// Whether the gateway closes connections whose token has expired.
  let endsAreEnforced: Bool

  init(_ described: Described?, _ names: HoleNames) throws(DescriptionError) {
    self.described = described
    var habit = RefreshHabit()
    guard let described else {
      habit.how = .none
      self.habit = habit
      message = nil
      endsAreEnforced = true
      return
    }
    let refresh = try described.object(["how", "lead", "jitter", "say", "proof", "grace", "ends_enforced"])
    let how = try refresh.required("how", example: "\"timer\"")
    habit.how = try how.choice("way of renewal")
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
    self.habit = habit
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
