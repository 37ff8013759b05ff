internal import GatewayCore
internal import GatewayFaults
internal import GatewayRuntime
internal import GatewayWires

/// The faults of a proxy.
///
/// They affect messages by direction, number and content, closes by code, sockets, upgrades and HTTP; with a wire, messages by
/// their meaning and connections by their users too.
struct ProxyFaults: FaultPolicy {
  /// The wire that gives messages their meaning; nil for none.
  let wire: ProxyWire?
  /// The calls of the token endpoint; nil if the endpoint is unknown.
  let tokens: TokenSightings?

  private var hasWire: Bool { wire != nil }

  func refusal(of fault: any Fault.Type) -> GatewayError? {
    switch fault {
    case is any ClockFault.Type, is any IssuerClockFault.Type:
      .clockIsReal.detailed("\(fault.word) changes a clock; use tokens of a few seconds")
    case is any StoreFault.Type:
      .notOurs.detailed("\(fault.word) changes a gateway's store; use answer_with or refuse_upgrade with status 503")
    case is any OutboundFault.Type:
      .notOurs.detailed(
        "\(fault.word) changes what a gateway hears from the application's backend; use refuse_upgrade or close_as")
    case is any SignalFault.Type:
      .notOurs.detailed("\(fault.word) sends a gateway signals of its login; use close_as, or send one to the gateway")
    case is MintEarly.Type:
      .notOurs.detailed("\(fault.word) needs a token that was issued later; use mint_expired or mint_forged")
    case is any ProviderDelay.Type where tokens == nil, is any ProviderAnswer.Type where tokens == nil:
      .notOurs.detailed("\(fault.word) changes answers of the token endpoint; use --tokens or --token-route to name it")
    case is Shorten.Type where wire?.tellsLives != true && tokens?.watch.tellsLives != true:
      .needsWire.detailed(
        "\(fault.word) changes the life that a reply tells; use --wire with a life in \"take\", or --tokens; exp cannot change"
      )
    case is RotateKeys.Type, is WithdrawKeys.Type:
      .notOurs.detailed("\(fault.word) changes a gateway's keys; use refuse_upgrade with status 401, or close_as")
    case is any LoginFault.Type, is any VerificationDelay.Type,
      is any VerificationFault.Type where hasWire:
      .notOurs.detailed("\(fault.word) is about a token's verification; use replace, close_as or refuse_upgrade")
    case is any LoginFault.Type, is any VerificationDelay.Type, is any VerificationFault.Type:
      .needsWire.detailed("\(fault.word) is about a login; use refuse_upgrade, never_answer, replace or close_as")
    default: nil
    }
  }

  func refusal(of order: FaultOrder) -> GatewayError? {
    let fault = order.fault
    if let refusal = refusal(of: type(of: fault)) { return refusal }
    if let other = fault as? any OtherTokenFault, let tokens,
      let lack = other.lack(in: tokens.seen, of: order.aim.users ?? [])
    {
      return .noTokenSeen.detailed(lack)
    }
    let isOfTokens = fault is any ProviderDelay || fault is any ProviderAnswer || fault is Shorten
    if !hasWire, order.aim.isOfUsers, !isOfTokens {
      return .needsWire.detailed("who names users; leave it out, or use {\"connection\": 2}")
    }
    if let event = order.moment.event, !Self.events.contains(event), !hasWire || !Self.eventsOfWires.contains(event),
      tokens == nil || !Self.eventsOfTokens.contains(event)
    {
      return .needsWire.detailed("no line \(event.rawValue) is written here; use connection_opened or message_out")
    }
    if !hasWire, !(fault is Shorten), let message = (fault as? any MessageFault)?.message, message.meaning != .anyIn,
      message.meaning != .anyOut
    {
      return .needsWire.detailed("\(message.meaning.rawValue) is a meaning; use any:in or any:out, with match")
    }
    if (fault as? Replace)?.needsWords == true {
      return .notOurs.detailed("the errors are the gateway's; use text")
    }
    if !hasWire, (fault as? Say)?.needsWords == true {
      return .needsWire.detailed("request:refresh is a meaning; use text or base64")
    }
    if let close = (fault as? any EndingFault)?.close, !close.reasons.isEmpty {
      return .needsWire.detailed("for names reasons of Postern's; use codes")
    }
    return nil
  }

  /// The kinds of lines that the proxy writes.
  private static let events: Set<JournalKind> = [
    .connectionOpened, .upgradeRefused, .ordered, .cutOff, .closed, .messageIn, .messageOut, .httpAnswered,
    .upstreamFailed, .faulted,
  ]

  private static let eventsOfWires: Set<JournalKind> = [
    .loginAsked, .loggedIn, .loginRefused, .refreshRequested, .refreshed, .refreshRefused, .handedOver,
  ]

  private static let eventsOfTokens: Set<JournalKind> = [
    .providerAsked, .providerMinted, .providerFailed, .providerRefused,
  ]

  func example(of fault: any Fault.Type) -> String {
    switch fault {
    case is Drop.Type: #"{"fault": "drop", "what": "any:out", "match": {"json": {"/type": "refreshed"}}, "times": 1}"#
    case is Delay.Type: #"{"fault": "delay", "what": "any:in", "by_ms": 2000}"#
    case is Duplicate.Type: #"{"fault": "duplicate", "what": "any:in", "when": {"nth": 2}, "times": 1}"#
    case is Reorder.Type: #"{"fault": "reorder", "what": "any:out", "times": 1}"#
    case is Corrupt.Type: #"{"fault": "corrupt", "what": "any:out", "match": {"prefix": "42"}, "times": 1}"#
    case is Replace.Type:
      #"{"fault": "replace", "what": "any:out", "text": "{\"type\":\"nobody_knows\"}", "times": 1}"#
    case is CloseAs.Type: #"{"fault": "close_as", "codes": [4000], "code": 1011}"#
    case is Abort.Type: #"{"fault": "abort", "codes": ["4000-4099"]}"#
    case is ResetInstead.Type: #"{"fault": "reset_instead", "codes": [4000], "times": 1}"#
    case is Reset.Type: #"{"fault": "reset", "when": {"after": "message_out"}, "times": 1}"#
    case is HalfOpen.Type: #"{"fault": "half_open", "for_s": 30}"#
    case is NoPongs.Type: #"{"fault": "no_pongs", "side": "upstream"}"#
    case is Say.Type:
      #"{"fault": "say", "text": "{\"type\":\"notice\"}", "when": {"after": "connection_opened"}, "times": 1}"#
    case is UnfinishedClose.Type: #"{"fault": "unfinished_close"}"#
    default: fault.example
    }
  }
}
