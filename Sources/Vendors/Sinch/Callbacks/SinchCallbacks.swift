internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens
internal import Synchronization

/// The vendor's callbacks to the application's backend. A user who joins a call has called a conference: the backend gets an
/// Incoming Call Event (ICE) then, and a Disconnected Call Event (DiCE) when the user is out of it.
///
/// The vendor sends no Answered Call Event (ACE) for calls inside the app.
final class SinchCallbacks: Sendable {
  private static let vendor = "sinch"
  /// The vendor publishes neither a time nor repetitions. Ours.
  private static let rule = WebhookRule(timeout: .seconds(5), attemptsMax: 1, repeated: .none)

  /// A user's part of a call.
  private struct Leg {
    let id: Name
    let application: Name
    let user: UserID
    let begunAt: WallTime
  }

  private struct Place: Hashable {
    let connection: ConnectionID
    let call: CallID
  }

  private let outlet: any WebhookOutlet
  private let address: SinchCallbackAddress
  private let applications: SinchApplications
  private let secrets: Secrets
  private let legs = Mutex<[Place: Leg]>([:])

  /// Creates the callbacks; nil if there is no address, or webhooks are not sent.
  init?(_ settings: SinchSettings, by outlet: (any WebhookOutlet)?, drawing secrets: Secrets) {
    let (address, applications) = (settings.callbackAddress, settings.applications)
    outlet?.open(Self.vendor) { rows, _ in
      rows.map { row in
        guard let address, let key = row.notes.first, applications[Name(key)] != nil else { return nil }
        return Self.webhook(Array(row.body.utf8), about: row.key, of: Name(key), to: address, signedFor: applications)
      }
    }
    guard let outlet, let address else { return nil }
    (self.outlet, self.address, self.applications, self.secrets) = (outlet, address, applications, secrets)
  }

  /// Tells that a user has joined a call.
  func joined(_ call: CallID, by caller: Caller, at now: WallTime) {
    guard let device = caller.notes?.unpacked(SinchStanding.self)?.device else { return }
    let leg = Leg(
      id: Name(SinchIdentifier.make(from: secrets)), application: device.application, user: caller.user, begunAt: now)
    legs.withLock { $0[Place(connection: caller.connection, call: call)] = leg }
    let body = Self.body("ice", of: leg, in: call, at: now) { json in
      json.member("user", leg.user.rawValue)
      json.member("domain", "mxp")
      json.member("originationType", "MXP")
    }
    post(body, of: leg, in: call)
  }

  /// Tells that a user is out of a call.
  func left(_ call: CallID, by connection: ConnectionID, at now: WallTime) {
    guard let leg = legs.withLock({ $0.removeValue(forKey: Place(connection: connection, call: call)) }) else { return }
    let body = Self.body("dice", of: leg, in: call, at: now) { json in
      json.member("from", leg.user.rawValue)
      json.member("reason", "CALLERHANGUP")
      json.member("result", "ANSWERED")
      json.member("duration", max(0, (now - leg.begunAt).components.seconds))
      Self.writePrice("debit", to: &json)
    }
    post(body, of: leg, in: call)
  }

  private static func body(
    _ event: StaticString, of leg: Leg, in call: CallID, at now: WallTime, _ more: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    JSONWriter.object(capacity: 512) { json in
      json.member("event", "\(event)")
      json.member("callid", leg.id.text)
      json.member("timestamp", SinchCalendar.secondsText(now))
      json.member("version", Int64(1))
      writePrice("userRate", to: &json)
      json.member("to") { json in
        json.member("type", "conference")
        json.member("endpoint", call.cid)
      }
      json.member("applicationKey", leg.application.text)
      more(&json)
    }
  }

  /// Nothing costs anything here.
  private static func writePrice(_ name: StaticString, to json: inout JSONWriter) {
    json.member(name) { json in
      json.member("currencyId", "USD")
      json.member("amount", Int64(0))
    }
  }

  private func post(_ body: [UInt8], of leg: Leg, in call: CallID) {
    outlet.post(
      Self.webhook(body, about: Name(call.cid), of: leg.application, to: address, signedFor: applications))
  }

  private static func webhook(
    _ body: [UInt8], about call: Name, of application: Name, to address: SinchCallbackAddress,
    signedFor applications: SinchApplications
  ) -> Webhook {
    Webhook(
      vendor, of: application, to: address.url, about: call, body, rule: rule, signedIn: "authorization",
      notes: [application.text]
    ) { _, now, body in
      let type = "application/json"
      let timestamp = SinchCalendar.secondsText(now)
      var fields = [HTTPField("content-type", type), HTTPField("x-timestamp", timestamp)]
      // A secret may have been removed since.
      if let secret = applications[application]?.secrets.first {
        let signed = SinchRequestSignature(
          method: "POST", body: body, contentType: type, timestamp: timestamp, path: address.path)
        fields.append(HTTPField("authorization", "application \(application):\(signed.sign(secret.bytes))"))
      }
      return fields
    }
  }
}
