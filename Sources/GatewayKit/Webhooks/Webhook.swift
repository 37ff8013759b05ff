package import GatewayCore

/// A message about something that happened, for a server of the application.
package struct Webhook: Sendable {
  /// The name of the vendor in metrics and in the journal.
  package let vendor: String
  /// The application whose queue it waits in.
  package let application: Name
  /// The address that the application has set.
  package let url: String
  package let method: String
  /// The subject, e.g. a call. Webhooks with one key and one address are sent in order, one at a time.
  package let key: Name
  package let body: [UInt8]
  package let rule: WebhookRule
  /// The name of the header field with the signature, in lower case; nil for none.
  package let signature: String?
  /// The texts from which its vendor makes the fields again after a restart, e.g. the id of the webhook. No secrets.
  package let notes: [String]
  /// Returns the body of an attempt at a time, for a vendor whose bodies say when they were sent; nil for ``body`` itself.
  package let dated: (@Sendable (_ now: WallTime) -> [UInt8])?
  /// Returns the header fields, with the signature, of an attempt. The first attempt is 1.
  package let fields: Fields

  package typealias Fields = @Sendable (_ attempt: Int, _ now: WallTime, _ body: [UInt8]) -> [HTTPField]

  package init(
    _ vendor: String, of application: Name, to url: String, method: String = "POST", about key: Name, _ body: [UInt8],
    rule: WebhookRule, signedIn signature: String? = nil, notes: [String] = [],
    dated: (@Sendable (_ now: WallTime) -> [UInt8])? = nil, fields: @escaping Fields
  ) {
    self.vendor = vendor
    self.application = application
    self.url = url
    self.method = method
    self.key = key
    self.body = body
    self.rule = rule
    self.signature = signature
    self.notes = notes
    self.dated = dated
    self.fields = fields
  }

  /// Returns the bytes as hexadecimal digits in lower case, the form of most signatures.
  package static func hex(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

/// How long a vendor waits for an answer to a webhook, and when it sends the webhook again.
package struct WebhookRule: Hashable, Sendable {
  /// The answers after which it is sent again.
  package enum Repeated: Hashable, Sendable {
    /// None: any answer ends it.
    case none
    /// 408, 429, and 500 or more.
    case overload
    /// All but 200 to 299.
    case anyFailure
  }

  /// The time for one attempt.
  package var timeout: Duration
  /// The time for all attempts; nil for no limit.
  package var whole: Duration?
  /// The number of attempts if there is no answer in time, or one of ``repeated``.
  package var attemptsMax: Int
  /// The number of attempts if there is no connection, or it breaks.
  package var networkAttemptsMax: Int
  package var repeated: Repeated

  package init(
    timeout: Duration, whole: Duration? = nil, attemptsMax: Int, networkAttemptsMax: Int? = nil, repeated: Repeated
  ) {
    self.timeout = timeout
    self.whole = whole
    self.attemptsMax = attemptsMax
    self.networkAttemptsMax = networkAttemptsMax ?? attemptsMax
    self.repeated = repeated
  }

  /// The longest time that a webhook may take with all its attempts, with pauses of `pause`.
  package func span(pausing pause: Duration) -> Duration {
    whole ?? (timeout + pause) * max(1, min(max(attemptsMax, networkAttemptsMax), 1_000))
  }

  /// Returns whether a webhook with that answer is sent again.
  package func repeats(after status: Int) -> Bool {
    switch repeated {
    case .none: false
    case .overload: status == 408 || status == 429 || status >= 500
    case .anyFailure: !(200...299).contains(status)
    }
  }
}
