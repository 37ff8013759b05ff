import GatewayCore
import GatewayKit
import GatewayWires

/// The wire that the clients of a conformance run speak: a dialect that is built in, or a described one that the space plays.
struct ConformWire: Sendable {
  /// Its name in the journal and among a space's addresses.
  let name: String
  /// The scheme of its tokens.
  let tokenScheme: String
  /// The features that it lacks, with the reasons.
  let lacks: [WireFeature: String]
  /// The options of its spaces.
  let settings: [JSONMember]
  /// The settings of a route to a real gateway that speaks it.
  let settingsOfRoute: [JSONMember]
  /// The description; nil for a dialect that is built in.
  private let description: WireDescription?
  /// How clients of a built-in dialect renew; nil if a proxy cannot read it.
  private let read: RefreshHabit.How?

  init(_ vendor: any OfferedVendor.Type) {
    (name, tokenScheme, lacks) = (vendor.scheme, vendor.scheme, vendor.clients.lacks)
    (settings, description, read) = ([], nil, vendor.readers.first?.renewal)
    settingsOfRoute = [JSONMember("dialect", vendor.scheme)]
  }

  /// Creates a described wire, whose spaces take tokens of the plain scheme.
  init(_ description: WireDescription, settings: [JSONMember]) {
    (name, tokenScheme) = (description.name, Vendors.all[0].scheme)
    (self.settings, self.description, read) = (settings, description, description.occasionOfRenewal)
    settingsOfRoute = settings.filter { Name($0.name) == Name("wire") }
    var lacks: [WireFeature: String] = [:]
    if description.finalCode == nil { lacks[.terminalClose] = "no close code of this wire keeps a client away" }
    if [.timer, .pushed].contains(description.occasionOfRenewal) {
      lacks[.revocationRequest] = "the gateway of this wire asks for no token, whatever is revoked"
    }
    self.lacks = lacks
  }

  /// How its clients renew.
  ///
  /// - Parameter asks: Whether the gateway has said that it asks for tokens; nil if it cannot be asked. A description says it
  ///   better.
  func how(asks: Bool?) -> RefreshHabit.How {
    description?.occasionOfRenewal ?? asks.map { $0 ? .asked : .reconnect } ?? read ?? .asked
  }

  /// How long the gateway keeps a connection with an expired token, if clients renew on a timer.
  var grace: Duration { description?.habits.refresh.grace ?? .zero }

  /// The life of a token whose timer fires about eight seconds after its mint; nil if clients have no timer.
  var shortLife: Duration? {
    guard let description, description.occasionOfRenewal == .timer else { return nil }
    let habit = description.habits.refresh
    let life =
      switch habit.lead {
      case .duration(let lead): lead + Self.timer
      case .share(let share): Duration.saturating(seconds: Self.timer.inSeconds / max(0.05, 1 - share))
      case nil: Self.timer
      }
    return min(life + habit.jitter, .seconds(3_600))
  }

  /// The time from the mint of a first token to its client's timer: a client has it to start and to log in.
  private static let timer = Duration.seconds(8)

  /// Returns the close code from which no client comes back.
  ///
  /// - Parameters:
  ///   - code: The code of the gateway's own dialect.
  ///   - elsewhere: The code of other built-in dialects.
  func finalCode(_ code: UInt16, elsewhere: UInt16?) -> UInt16 {
    guard let elsewhere else { return code }
    guard let description else { return Name(name) == Name(Vendors.all[0].scheme) ? code : elsewhere }
    return description.finalCode ?? elsewhere
  }

  /// Returns why a described wire cannot show the behaviour; nil if it can.
  func reason(against behaviour: Behaviour) -> String? {
    guard let description else { return nil }
    if let reason = behaviour.ofBuiltIn { return reason }
    for meaning in behaviour.meanings {
      switch meaning {
      case .close(let code, let wanted):
        let told = description.meaning(ofClose: code)
        guard told == wanted else { return "on this wire a close with \(code) means \(told.rawValue)" }
      case .status(let status, let wanted):
        // Real clients differ where the description says nothing.
        let told = description.meaning(ofStatus: status)
        guard let told else { return "the description does not say what an upgrade refused with \(status) means" }
        guard told == wanted else { return "on this wire an upgrade refused with \(status) means \(told.rawValue)" }
      case .badTokenIsNotFinal:
        guard description.isFinalAtBadToken else { continue }
        return "the gateway of this wire refuses a bad token for good"
      }
    }
    return nil
  }

  /// Returns whether a client must reconnect after the code.
  func comesBack(from code: UInt16) -> Bool { description.map { $0.meaning(ofClose: code) != .giveUp } ?? true }
}
