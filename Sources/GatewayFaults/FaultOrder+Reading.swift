package import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayRuntime

// Reading of orders, for every fault.

extension FaultOrder {
  /// Reads an order in JSON. Throws the error in it; for an unknown word the error lists the known ones.
  package static func read(json: [UInt8]) throws(GatewayError) -> FaultOrder {
    let fields = try fields(json)
    let type = try type(of: fields)
    try fields.refuseStrangers(members + type.members)
    return try read(try type.read(fields), fields, text: String(decoding: json, as: UTF8.self))
  }

  private static func type(of fields: FaultFields) throws(GatewayError) -> any Fault.Type {
    guard let word = try fields.text("fault", bytes: FaultFields.nameLengthMax) else { throw fields.missing("fault") }
    for type in Faults.all where Name(type.word) == Name(word) { return type }
    if Name(word) == "jwks_rotate" { throw .invalidParameter.detailed(rotation) }
    throw .invalidParameter.detailed(
      "no fault is called '\(word.prefix(64))'" + FaultFields.lead(from: word, to: Faults.all.map { $0.word }))
  }

  /// Why a gateway cannot be told to rotate an issuer's keys.
  private static let rotation =
    "jwks_rotate needs an issuer of Postern's own, and this gateway only reads keys; "
    + "use postern storm --serve-jwks with --jwks-rotate, or jwks_withdraw"

  private static func read(
    _ fault: any Fault, _ fields: FaultFields, text: String
  ) throws(GatewayError) -> FaultOrder {
    var (aim, moment) = (FaultAim(), FaultMoment())
    if let who = try fields.child("who") { aim = try FaultAim(who) }
    if let when = try fields.child("when") { moment = try FaultMoment(when) }
    let times = try fields.whole("times", in: 1...1_000_000_000)
    let seed = try fields.whole("seed", in: 0...Int64.max)
    let duration = try fields.seconds("for_s", from: 0.001)
    let side = try fields.word("side", FaultSide.self) ?? .client
    let type = Swift.type(of: fault)
    if side == .upstream, !(fault is any SocketFault), !(fault is any EndingFault) {
      throw .invalidParameter.detailed(
        "side goes with faults of sockets and of closes, e.g. reset and close_as; \(type.word) is neither")
    }
    if fault is Say, times == nil, let event = moment.event, Say.writes(event, at: side) {
      throw .invalidParameter.detailed("say after \(event.rawValue) follows itself without end; give times")
    }
    if let signal = fault as? any SignalFault, times == nil, let event = moment.event, signal.writes(event) {
      throw .invalidParameter.detailed("\(type.word) after \(event.rawValue) may follow itself without end; give times")
    }
    if type.isOfAll, aim != FaultAim() || moment.event != nil {
      throw .invalidParameter.detailed("\(type.word) befalls the gateway as it is: leave out who, and after")
    }
    if fault is any ClockFault, times != nil || moment.occurrence != 1 {
      throw .invalidParameter.detailed("\(type.word) goes on until it is over: leave out times, and nth")
    }
    return FaultOrder(
      fault, who: aim, when: moment, times: times.map { Int($0) }, lasting: duration, seed: seed.map { UInt64($0) },
      side: side, text: text)
  }

  private static func fields(_ json: [UInt8]) throws(GatewayError) -> FaultFields {
    guard json.count <= lengthMax else { throw .bodyTooLarge }
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument.parse(json)
    } catch {
      throw .malformedRequest.detailed("expected a JSON object {\"fault\": string, …}; it is \(error)")
    }
    guard let fields = FaultFields(document.root) else {
      throw .malformedRequest.detailed("expected a JSON object {\"fault\": string, …}")
    }
    return fields
  }
}
