internal import GatewayCore
internal import GatewayRuntime

extension ProviderAnswer {
  /// Creates the answer from the result of an HTTP request to the provider.
  init(_ result: Result<HTTPResponse, DialFailure>, _ dialect: any ClientDialect, at now: WallTime) {
    switch result {
    case .failure(let failure):
      self = .failed(failure.reason)
    case .success(let response):
      switch response.status {
      case 429, 503:
        self = .busy(status: response.status, retryAfter: RetryAfter.read(response, at: now))
      case 400..<500:
        self = .refused(status: response.status)
      case 200..<300:
        self = dialect.token(in: response).map { .token($0) } ?? .failed("no_token")
      default:
        self = .failed("http_\(response.status)")
      }
    }
  }

  /// Creates the answer from the result of a request for a session key to the gateway.
  init(key result: Result<HTTPResponse, DialFailure>, _ dialect: any ClientDialect) {
    switch result {
    case .failure(let failure):
      self = .failed(failure.reason)
    case .success(let response):
      switch dialect.key(in: response) {
      case .key(let key): self = .token(key)
      case .refused(let number): self = .denied(number: number)
      case .renewed, .unrenewed, .incomplete, nil: self = .failed("http_\(response.status)")
      }
    }
  }

  /// Creates the answer from that of a described endpoint.
  init(_ answer: TokenAnswer) {
    switch answer.outcome {
    case .token(let token): self = .token(token)
    case .busy(let status, let wait): self = .busy(status: status, retryAfter: wait)
    case .refused(let status): self = .refused(status: status)
    case .failed: self = .failed(answer.label)
    }
  }
}
