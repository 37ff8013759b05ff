package import GatewayCore
internal import GatewayKit
package import GatewayRuntime

/// A fault of what is sent to the application's own servers, e.g. a backend that answers no refresh.
package protocol OutboundFault: Fault {
  var places: OutboundChoice { get }
}

/// A fault of the answer to a question.
package protocol AnswerFault: OutboundFault {
  var harm: OutboundHarm { get }
}

/// A fault of a webhook.
package protocol WebhookFault: OutboundFault {
  var harm: WebhookHarm { get }
}

/// The effect of a fault on a question.
package enum OutboundHarm: Sendable {
  /// It is asked later by this duration, in the time of the network.
  case late(Duration)
  case unanswered
  case answered(HTTPResponse)
  /// It is asked, and this makes another answer of the server's.
  case altered(@Sendable (HTTPResponse) -> HTTPResponse)

  /// An answer of status 200.
  static func said(_ body: [UInt8]) -> OutboundHarm {
    .answered(HTTPResponse(status: 200, headers: [HTTPField("content-type", "application/json")], body: body))
  }

  /// The answer by the members `status` and `retry_after_s`.
  static func status(_ fields: FaultFields) throws(GatewayError) -> OutboundHarm {
    let status = try fields.whole("status", in: 300...599) ?? 500
    let retryAfter = try fields.seconds("retry_after_s")
    return .answered(HTTPResponse(status: Int(status), headers: retryAfter.map { [.retryAfter($0)] } ?? []))
  }

  /// The names of the members of ``status(_:)``.
  static let statusMembers = ["status", "retry_after_s"]
}

/// The servers that a fault affects: one by its name, or all of a kind.
package struct OutboundChoice: Hashable, Sendable {
  private enum Hook: String, CaseIterable {
    case connect, refresh, commands
  }

  private let kind: OutboundPlace.Kind
  private let name: Name?

  /// The application's backend, by the member `of`.
  static func hooks(_ fields: FaultFields) throws(GatewayError) -> OutboundChoice {
    let hook: Hook? = try fields.word("of")
    return OutboundChoice(kind: .hook, name: hook.map { Name($0.rawValue) })
  }

  /// The servers of issuers' keys, by the member `issuer`.
  static func keys(_ fields: FaultFields) throws(GatewayError) -> OutboundChoice {
    let issuer = try fields.text("issuer", bytes: FaultFields.nameLengthMax)
    return OutboundChoice(kind: .keys, name: issuer.map { Name($0) })
  }

  /// The receivers of webhooks, by the member `vendor`.
  static func webhooks(_ fields: FaultFields) throws(GatewayError) -> OutboundChoice {
    let vendor = try fields.text("vendor", bytes: FaultFields.nameLengthMax)
    return OutboundChoice(kind: .webhook, name: vendor.map { Name($0) })
  }

  /// The server that is asked about opaque tokens.
  static let introspection = OutboundChoice(kind: .introspection, name: nil)

  static let hookMembers = ["of"]
  static let keysMembers = ["issuer"]
  static let webhookMembers = ["vendor"]

  /// Returns whether it includes that server.
  func takesIn(_ place: OutboundPlace) -> Bool { place.kind == kind && (name ?? place.name) == place.name }

  /// Whether it includes servers of issuers' keys, which are asked seldom.
  var isOfKeys: Bool { kind == .keys }

  /// Returns why the fault can have no effect in a gateway that asks these servers; nil if it can.
  func lack(of places: [OutboundPlace], _ word: String) -> GatewayError? {
    guard !places.contains(where: { takesIn($0) }) else { return nil }
    let known = places.filter { $0.kind == kind }.map(\.name.text)
    if let name, kind != .hook, !known.isEmpty {
      let member = kind == .keys ? "issuer" : "vendor"
      return .invalidParameter.detailed(
        "\(member): '\(name.text)' is unknown" + FaultFields.lead(from: name.text, to: known))
    }
    let (what, flags) = missing
    return .invalidParameter.detailed("\(word) changes \(what); start postern serve with \(flags)")
  }

  private var missing: (what: String, flags: String) {
    switch kind {
    case .hook:
      (
        "answers of the application's backend, and this gateway asks none",
        name.map { "--hook-\($0.text)" } ?? "--hook-connect, --hook-refresh or --hook-commands"
      )
    case .keys: ("answers with an issuer's keys, and this gateway fetches none", "--jwks, --oidc or --identity")
    case .introspection: ("answers about opaque tokens, and this gateway asks for none", "--introspection")
    case .webhook:
      ("webhooks, and this gateway sends none", "a dialect that has them, and without --spaces")
    }
  }
}
