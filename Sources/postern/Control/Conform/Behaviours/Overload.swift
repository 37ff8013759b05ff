extension Behaviour {
  static let overload = returning(
    "overload", covers: ["S9", "X8"], code: 1013,
    sentence:
      "The client comes back after each close with 1013, as of an overloaded gateway, after waits with jitter."
  )
}
