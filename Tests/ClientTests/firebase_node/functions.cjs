// Serves Firebase's blocking functions of firebase-functions, one path for each event. Usage: node functions.cjs SDK.
// Prints the port, then a JSON line with each event that a handler gets.
process.env.FIREBASE_DEBUG_MODE = 'true';
process.env.FIREBASE_DEBUG_FEATURES = '{"skipTokenVerification":true}';
const { identity, https, express } = require(process.argv[2]);

function record(name) {
  return (event) => {
    console.log(JSON.stringify({ name, event }));
    const email = event.data?.email ?? event.additionalUserInfo?.email ?? '';
    if (email.startsWith('eve')) throw new https.HttpsError('permission-denied', 'Only members');
    if (name === 'beforeCreate') return { displayName: 'Member', photoURL: 'https://photos.example/1' };
    if (name === 'beforeSignIn') return { sessionClaims: { ip: event.ipAddress } };
    return {};
  };
}

const app = express();
app.use(express.json());
app.post('/beforeCreate', identity.beforeUserCreated(record('beforeCreate')));
app.post('/beforeSignIn', identity.beforeUserSignedIn(record('beforeSignIn')));
app.post('/beforeSendEmail', identity.beforeEmailSent(record('beforeSendEmail')));
app.post('/beforeSendSms', identity.beforeSmsSent(record('beforeSendSms')));
const server = app.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })));
