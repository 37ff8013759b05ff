import GatewayCore
import GatewayJSON
import GatewayKit

/// The part of a journal that is replayed: the actions of clients and operators, each with its time. The actions of the
/// gateway must follow by themselves.
struct ReplayScript: Sendable {
  /// The credentials that a client presented, as far as the journal tells.
  struct Presented: Sendable {
    var user: String
    var kind: String
    let life: Duration?
    /// The name of the error that they caused; nil for none.
    let refusal: String?
  }

  /// An action of a client or an operator.
  enum Act: Sendable {
    /// The client connects, with the credentials in the upgrade, if there are any.
    case open(Presented?)
    /// The client sends a message, with the credentials in it, if there are any.
    case say(String, Presented?)
    case expire, refresh
    case disconnect(code: Int, reason: String)
    case revoke(user: String)
    /// The gateway sends the client an operator's message.
    case tell(String)
    /// The client closes with this code.
    case close(code: Int)
    /// The client's transport breaks off.
    case lose
  }

  /// An action with its time and its connection.
  struct Step: Sendable {
    let act: Act
    /// The time since the first step.
    let at: Duration
    /// The connection, by the number of its first line in the journal.
    let connection: Int
    /// The wire of the connection.
    let dialect: String
    /// The kind of line that a deadline wrote on the connection just before; nil for none.
    var awaits: String?
  }

  /// The kinds of line that a session's deadline writes.
  private static let deadlines = ["token_expired", "refresh_requested", "cut_off"]
  /// The milliseconds after a deadline's line in which a client's action counts as an immediate answer.
  private static let atOnce: Int64 = 2

  private(set) var steps: [Step] = []
  /// The lines that cannot be replayed, with the reasons.
  private(set) var lacking: [(line: ReplayLine, reason: String)] = []
  /// The time of day of the first line, in seconds within its minute.
  let beginning: Double?
  /// The time of the last line since the first.
  private(set) var end = Duration.zero

  init(_ lines: [ReplayLine]) {
    let lives = Self.connections(lines)
    var (numbers, revoked): ([Name: Int], Set<Name>) = ([:], [])
    let begin = lines.first?.at_ms ?? 0
    // The text ends in seconds, milliseconds and a Z.
    beginning = lines.first?.time.flatMap { Double($0.dropLast().suffix(6)) }
    end = .milliseconds((lines.last?.at_ms ?? 0) - begin)
    var deadlineAt: Int64?
    // By connection, since its last step.
    var deadlines: [Name: ReplayLine] = [:]
    for line in lines {
      // A deadline that precedes this line within the same millisecond came before it.
      if line.isOf("token_expired") || line.isOf("cut_off") { deadlineAt = line.at_ms }
      let at = Duration.milliseconds(line.at_ms - begin + (deadlineAt == line.at_ms ? 1 : 0))
      let dialect = line.dialect ?? ReplayWire.usual
      guard let name = line.connection.map({ Name($0) }), let life = lives[name] else {
        guard line.isOf("upgrade_refused") else { continue }
        if ReplayWire(dialect)?.carries == true {
          steps.append(Step(act: .open(Self.refused(line)), at: at, connection: line.n, dialect: dialect))
        } else {
          lacking.append((line, Self.noUpgrade))
        }
        continue
      }
      if Self.deadlines.contains(where: line.isOf) { deadlines[name] = line }
      let rest = life.drop { $0.n <= line.n }
      let connection: Int
      if line.isOf("connection_opened") {
        guard let wire = ReplayWire(dialect), wire.carries || rest.first?.isOf("login_asked") != true else {
          lacking.append((line, Self.noUpgrade))
          continue
        }
        connection = line.n
        numbers[name] = line.n
      } else {
        guard let number = numbers[name] else { continue }
        connection = number
      }
      switch act(line, rest, &revoked) {
      case .act(let act)?:
        let deadline = deadlines.removeValue(forKey: name)
        let awaited = deadline.flatMap { line.at_ms - $0.at_ms <= Self.atOnce ? $0.kind : nil }
        steps.append(Step(act: act, at: at, connection: connection, dialect: dialect, awaits: awaited))
      case .lacking(let reason)?: lacking.append((line, reason))
      case nil: break
      }
    }
  }

  private static let noUpgrade = "clients of that wire say more in their upgrade requests than a journal keeps"

  private enum Finding {
    case act(Act)
    case lacking(String)
  }

  /// Returns the action of a line, or the reason why there is none; `rest` has the later lines of its connection.
  private func act(_ line: ReplayLine, _ rest: ArraySlice<ReplayLine>, _ revoked: inout Set<Name>) -> Finding? {
    switch line.kind {
    case "connection_opened":
      let first = rest.first { $0.isOf("login_asked") || $0.isOf("message_in") }
      return .act(.open(first?.isOf("login_asked") == true ? Self.presented(line, rest) : nil))
    case "message_in":
      guard let payload = line.payload else { return .lacking("its message is not in the file") }
      let presents = line.message == "credentials"
      guard Self.canBeSaid(payload, presents) else {
        return .lacking("it has secrets in it that nobody can make anew, such as a signature")
      }
      return .act(.say(payload, presents ? Self.presented(line, rest) : nil))
    case "message_out":
      guard line.message == "said" else { return nil }
      guard let payload = line.payload, !payload.contains(bytesOf: JSONRedaction.blank) else {
        return .lacking("the file does not have all of the message that was said")
      }
      return .act(.tell(payload))
    case "ordered":
      switch line.order {
      case "expire": return .act(.expire)
      case "refresh": return .act(.refresh)
      case "disconnect":
        guard let end = rest.first(where: { $0.isOf("cut_off") }), let code = end.code else { return nil }
        return .act(.disconnect(code: code, reason: end.reason ?? "other"))
      default: return .lacking("nobody drains a gateway for this")
      }
    case "revoked":
      guard let user = line.user, revoked.insert(Name("\(line.at_ms) \(user)")).inserted else { return nil }
      return .act(.revoke(user: user))
    case "closed":
      if line.by == "peer" { return .act(.close(code: line.code ?? 1000)) }
      return line.by == "transport" ? .act(.lose) : nil
    default: return nil
    }
  }

  /// Returns whether the blanked parts of the message are nothing but one token.
  private static func canBeSaid(_ payload: String, _ presents: Bool) -> Bool {
    let blanks = payload.ranges(bytesOf: JSONRedaction.blank)
    guard let blank = blanks.first else { return true }
    guard presents, blanks.count == 1 else { return false }
    // The name of the member tells that its value is a code, or is derived from a secret.
    let before = payload[..<blank.lowerBound].lowercased()
    return !["signature", "ticket", "code", "key", "auth"].contains { before.hasSuffix("\($0)\":\"") }
  }

  private static func connections(_ lines: [ReplayLine]) -> [Name: [ReplayLine]] {
    lines.reduce(into: [:]) { lives, line in
      if let connection = line.connection { lives[Name(connection), default: []].append(line) }
    }
  }

  private static let outcomes = ["logged_in", "login_refused", "refreshed", "refresh_refused"]

  /// Returns the credentials that a client presented at that line, derived from their outcome.
  private static func presented(_ line: ReplayLine, _ rest: ArraySlice<ReplayLine>) -> Presented {
    let outcome = rest.first { one in outcomes.contains { one.isOf($0) } }
    return Presented(
      user: outcome?.user ?? line.user ?? line.payload.flatMap(named) ?? "somebody",
      kind: outcome?.user_kind ?? "regular",
      life: outcome?.expires_in_ms.map { .milliseconds($0) },
      refusal: outcome?.isOf("login_refused") == true || outcome?.isOf("refresh_refused") == true
        ? outcome?.error_name ?? "credentials_missing" : nil)
  }

  /// Returns the user that a message names besides its token; nil if there is none or it cannot be read.
  private static func named(in payload: String) -> String? {
    // Some messages have a word before their object.
    guard let begin = payload.firstIndex(of: "{"),
      let root = try? JSONDocument.parse(Array(payload[begin...].utf8)).root
    else { return nil }
    return root["userId"]?.string ?? root["user_id"]?.string ?? root["user_details"]?["id"]?.string
  }

  private static func refused(_ line: ReplayLine) -> Presented {
    Presented(
      user: line.user ?? "somebody", kind: "regular", life: nil, refusal: line.error_name ?? "credentials_missing")
  }
}
