/// The change that would have kept every client of a storm, according to a simulation.
package struct ReportAdvice: Hashable, Sendable, Encodable {
  /// The minimum jitter that is enough, as a share of the tokens' life; nil if no jitter is.
  package let jitter: Double?
  /// The minimum rate of the provider that is enough; nil if jitter is the advice.
  package let tokensPerSecond: Double?
  /// The advice in a sentence.
  package let text: String

  package init(jitter: Double?, tokensPerSecond: Double?, text: String) {
    self.jitter = jitter
    self.tokensPerSecond = tokensPerSecond
    self.text = text
  }
}
