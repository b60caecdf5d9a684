export default function SignIn() {
  return (
    <form method="post" action="/sign-in">
      <h1>Sign in</h1>
      <p>
        <label>
          E-mail <input name="email" type="email" required />
        </label>
      </p>
      <p>
        <label>
          Password <input name="password" type="password" required />
        </label>
      </p>
      <button>Sign in</button>
    </form>
  );
}
