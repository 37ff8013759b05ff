internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens

/// The messages of our Sinch wire as JSON text, e.g. `userRegistered`.
enum SinchWords {
  /// Returns `userRegistered`. The secret of a new instance is sent only here; for an extended one it is left out.
  static func userRegistered(_ instance: SinchInstance, secret: [UInt8]?) -> String {
    text("userRegistered") { json in
      json.member("instance") { write(instance, secret: secret, to: &$0) }
    }
  }

  /// Writes the members of an instance.
  static func write(_ instance: SinchInstance, secret: [UInt8]?, to json: inout JSONWriter) {
    json.member("id", instance.id.text)
    if let secret { json.member("secret", Base64.encode(secret)) }
    json.member("expiresAt", secondsOf: instance.endsAt?.nanoseconds)
  }

  /// Returns an error message: `userRegistrationFailed`, `clientFailed` or `error`.
  static func error(_ type: String, _ error: GatewayError, _ words: SinchErrorWords) -> String {
    let numbers = SinchErrorWords.numbers(of: error)
    return text(type) { json in
      json.member("error") { json in
        json.member("httpStatus", Int64(numbers.status))
        json.member("errorCode", Int64(numbers.code))
        if let reason = words.reason(error) { json.member("reason", reason) }
        json.member("domain", numbers.isNetwork ? "network" : "generic")
        json.member("message", words.message(error, numbers))
        json.member("retryable", numbers.isNetwork)
      }
    }
  }

  /// Returns `credentialsRequired`. `timeout` is how long the gateway waits, if that is known.
  static func credentialsRequired(_ reason: SinchCredentialsReason, at now: WallTime, timeout: Duration?) -> String {
    text("credentialsRequired") { json in
      json.member("reason", reason.rawValue)
      json.member("serverTime", secondsOf: now.nanoseconds)
      if let timeout { json.member("timeoutMs", milliseconds: timeout) }
    }
  }

  static func text(_ type: String, _ body: (inout JSONWriter) -> Void = { _ in }) -> String {
    String(
      decoding: JSONWriter.object { json in
        json.member("type", type)
        body(&json)
      }, as: UTF8.self)
  }
}
